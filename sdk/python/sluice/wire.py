"""The messages of the protocol, made of the description that wire.proto compiles to, so that any release of protobuf takes them."""

import os

from google.protobuf import descriptor_pool, message_factory

with open(os.path.join(os.path.dirname(__file__), "wire.binpb"), "rb") as _f:  # importlib.resources would take as long as all else here
    _set = _f.read()
_begin = next(i for i in range(1, 6) if _set[i] < 0x80) + 1  # of the only file in the set, behind its tag and its length
_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_set[_begin:])
for _name, _descriptor in _pool.FindFileByName("wire.proto").message_types_by_name.items():
    globals()[_name] = message_factory.GetMessageClass(_descriptor)
