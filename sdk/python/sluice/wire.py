"""The messages of the protocol, made of the description that wire.proto compiles to, so that any release of protobuf takes them."""

from importlib import resources

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_files = descriptor_pb2.FileDescriptorSet.FromString(resources.files(__package__).joinpath("wire.binpb").read_bytes())
_pool = descriptor_pool.DescriptorPool()
for _file in _files.file:
    _pool.AddSerializedFile(_file.SerializeToString())
    for _message in _file.message_type:
        _descriptor = _pool.FindMessageTypeByName(f"{_file.package}.{_message.name}")
        globals()[_message.name] = message_factory.GetMessageClass(_descriptor)
