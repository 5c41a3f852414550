from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DescribeRequest(_message.Message):
    __slots__ = ("features",)
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, features: _Optional[_Iterable[str]] = ...) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("version", "features", "plugins")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    version: str
    features: _containers.RepeatedScalarFieldContainer[str]
    plugins: _containers.RepeatedCompositeFieldContainer[PluginInfo]
    def __init__(self, version: _Optional[str] = ..., features: _Optional[_Iterable[str]] = ..., plugins: _Optional[_Iterable[_Union[PluginInfo, _Mapping]]] = ...) -> None: ...

class PluginInfo(_message.Message):
    __slots__ = ("name", "doc", "ordered", "private", "outputs", "labels", "args", "codes", "label_values", "takes_all", "concurrent", "drops")
    class CodesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class LabelValuesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Values
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Values, _Mapping]] = ...) -> None: ...
    class DropsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOC_FIELD_NUMBER: _ClassVar[int]
    ORDERED_FIELD_NUMBER: _ClassVar[int]
    PRIVATE_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    ARGS_FIELD_NUMBER: _ClassVar[int]
    CODES_FIELD_NUMBER: _ClassVar[int]
    LABEL_VALUES_FIELD_NUMBER: _ClassVar[int]
    TAKES_ALL_FIELD_NUMBER: _ClassVar[int]
    CONCURRENT_FIELD_NUMBER: _ClassVar[int]
    DROPS_FIELD_NUMBER: _ClassVar[int]
    name: str
    doc: str
    ordered: bool
    private: bool
    outputs: _containers.RepeatedScalarFieldContainer[str]
    labels: _containers.RepeatedScalarFieldContainer[str]
    args: _containers.RepeatedCompositeFieldContainer[ArgInfo]
    codes: _containers.ScalarMap[str, str]
    label_values: _containers.MessageMap[str, Values]
    takes_all: bool
    concurrent: bool
    drops: _containers.ScalarMap[str, str]
    def __init__(self, name: _Optional[str] = ..., doc: _Optional[str] = ..., ordered: _Optional[bool] = ..., private: _Optional[bool] = ..., outputs: _Optional[_Iterable[str]] = ..., labels: _Optional[_Iterable[str]] = ..., args: _Optional[_Iterable[_Union[ArgInfo, _Mapping]]] = ..., codes: _Optional[_Mapping[str, str]] = ..., label_values: _Optional[_Mapping[str, Values]] = ..., takes_all: _Optional[bool] = ..., concurrent: _Optional[bool] = ..., drops: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Values(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class ArgInfo(_message.Message):
    __slots__ = ("name", "type", "doc", "default", "required", "example", "words")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DOC_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: str
    doc: str
    default: str
    required: bool
    example: str
    words: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[str] = ..., doc: _Optional[str] = ..., default: _Optional[str] = ..., required: _Optional[bool] = ..., example: _Optional[str] = ..., words: _Optional[_Iterable[str]] = ...) -> None: ...

class OpenRequest(_message.Message):
    __slots__ = ("plugin", "args", "workers", "arenas", "capacity", "poison", "behind", "depth", "trust", "trace", "timeout")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    ARGS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    ARENAS_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    POISON_FIELD_NUMBER: _ClassVar[int]
    BEHIND_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    args: bytes
    workers: int
    arenas: _containers.RepeatedCompositeFieldContainer[Arena]
    capacity: int
    poison: bool
    behind: _containers.RepeatedCompositeFieldContainer[Step]
    depth: int
    trust: bool
    trace: bool
    timeout: int
    def __init__(self, plugin: _Optional[str] = ..., args: _Optional[bytes] = ..., workers: _Optional[int] = ..., arenas: _Optional[_Iterable[_Union[Arena, _Mapping]]] = ..., capacity: _Optional[int] = ..., poison: _Optional[bool] = ..., behind: _Optional[_Iterable[_Union[Step, _Mapping]]] = ..., depth: _Optional[int] = ..., trust: _Optional[bool] = ..., trace: _Optional[bool] = ..., timeout: _Optional[int] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ("plugin", "args")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    ARGS_FIELD_NUMBER: _ClassVar[int]
    OR_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    args: bytes
    def __init__(self, plugin: _Optional[str] = ..., args: _Optional[bytes] = ..., **kwargs) -> None: ...

class Arena(_message.Message):
    __slots__ = ("id", "fd", "size", "writable", "note")
    ID_FIELD_NUMBER: _ClassVar[int]
    FD_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    WRITABLE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    id: int
    fd: int
    size: int
    writable: bool
    note: int
    def __init__(self, id: _Optional[int] = ..., fd: _Optional[int] = ..., size: _Optional[int] = ..., writable: _Optional[bool] = ..., note: _Optional[int] = ...) -> None: ...

class OpenResponse(_message.Message):
    __slots__ = ("errors", "inline", "label_values", "saves")
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    INLINE_FIELD_NUMBER: _ClassVar[int]
    LABEL_VALUES_FIELD_NUMBER: _ClassVar[int]
    SAVES_FIELD_NUMBER: _ClassVar[int]
    errors: _containers.RepeatedCompositeFieldContainer[ArgError]
    inline: bool
    label_values: _containers.RepeatedCompositeFieldContainer[LabelValues]
    saves: bool
    def __init__(self, errors: _Optional[_Iterable[_Union[ArgError, _Mapping]]] = ..., inline: _Optional[bool] = ..., label_values: _Optional[_Iterable[_Union[LabelValues, _Mapping]]] = ..., saves: _Optional[bool] = ...) -> None: ...

class LabelValues(_message.Message):
    __slots__ = ("step", "label", "values")
    STEP_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    step: int
    label: str
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, step: _Optional[int] = ..., label: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ...) -> None: ...

class ArgError(_message.Message):
    __slots__ = ("name", "message", "step")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    name: str
    message: str
    step: int
    def __init__(self, name: _Optional[str] = ..., message: _Optional[str] = ..., step: _Optional[int] = ...) -> None: ...

class ToWorker(_message.Message):
    __slots__ = ("start", "batch", "grant", "save", "state")
    START_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    SAVE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    start: int
    batch: Batch
    grant: Grant
    save: Save
    state: State
    def __init__(self, start: _Optional[int] = ..., batch: _Optional[_Union[Batch, _Mapping]] = ..., grant: _Optional[_Union[Grant, _Mapping]] = ..., save: _Optional[_Union[Save, _Mapping]] = ..., state: _Optional[_Union[State, _Mapping]] = ...) -> None: ...

class Save(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class State(_message.Message):
    __slots__ = ("data", "last")
    DATA_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    last: bool
    def __init__(self, data: _Optional[bytes] = ..., last: _Optional[bool] = ...) -> None: ...

class Batch(_message.Message):
    __slots__ = ("arenas", "offsets", "lengths", "files", "file", "lines", "labels", "inline", "grant", "lethal", "check", "origins")
    ARENAS_FIELD_NUMBER: _ClassVar[int]
    OFFSETS_FIELD_NUMBER: _ClassVar[int]
    LENGTHS_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    INLINE_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    LETHAL_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    ORIGINS_FIELD_NUMBER: _ClassVar[int]
    arenas: _containers.RepeatedScalarFieldContainer[int]
    offsets: _containers.RepeatedScalarFieldContainer[int]
    lengths: _containers.RepeatedScalarFieldContainer[int]
    files: _containers.RepeatedScalarFieldContainer[str]
    file: _containers.RepeatedScalarFieldContainer[int]
    lines: _containers.RepeatedScalarFieldContainer[int]
    labels: _containers.RepeatedCompositeFieldContainer[Labels]
    inline: bytes
    grant: Grant
    lethal: _containers.RepeatedCompositeFieldContainer[Lethal]
    check: bool
    origins: _containers.RepeatedCompositeFieldContainer[Origins]
    def __init__(self, arenas: _Optional[_Iterable[int]] = ..., offsets: _Optional[_Iterable[int]] = ..., lengths: _Optional[_Iterable[int]] = ..., files: _Optional[_Iterable[str]] = ..., file: _Optional[_Iterable[int]] = ..., lines: _Optional[_Iterable[int]] = ..., labels: _Optional[_Iterable[_Union[Labels, _Mapping]]] = ..., inline: _Optional[bytes] = ..., grant: _Optional[_Union[Grant, _Mapping]] = ..., lethal: _Optional[_Iterable[_Union[Lethal, _Mapping]]] = ..., check: _Optional[bool] = ..., origins: _Optional[_Iterable[_Union[Origins, _Mapping]]] = ...) -> None: ...

class Origins(_message.Message):
    __slots__ = ("index", "files", "file", "lines", "more")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    index: int
    files: _containers.RepeatedScalarFieldContainer[str]
    file: _containers.RepeatedScalarFieldContainer[int]
    lines: _containers.RepeatedScalarFieldContainer[int]
    more: int
    def __init__(self, index: _Optional[int] = ..., files: _Optional[_Iterable[str]] = ..., file: _Optional[_Iterable[int]] = ..., lines: _Optional[_Iterable[int]] = ..., more: _Optional[int] = ...) -> None: ...

class Lethal(_message.Message):
    __slots__ = ("index", "step", "nth", "message")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    NTH_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    step: int
    nth: int
    message: str
    def __init__(self, index: _Optional[int] = ..., step: _Optional[int] = ..., nth: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class Labels(_message.Message):
    __slots__ = ("index", "names", "values", "n")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    N_FIELD_NUMBER: _ClassVar[int]
    index: int
    names: _containers.RepeatedScalarFieldContainer[str]
    values: _containers.RepeatedScalarFieldContainer[str]
    n: int
    def __init__(self, index: _Optional[int] = ..., names: _Optional[_Iterable[str]] = ..., values: _Optional[_Iterable[str]] = ..., n: _Optional[int] = ...) -> None: ...

class Grant(_message.Message):
    __slots__ = ("arena", "offset", "length")
    ARENA_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    arena: int
    offset: int
    length: int
    def __init__(self, arena: _Optional[int] = ..., offset: _Optional[int] = ..., length: _Optional[int] = ...) -> None: ...

class FromWorker(_message.Message):
    __slots__ = ("verdicts", "emitted", "same", "offsets", "lengths", "labels", "faults", "sides", "counts", "inline", "need", "done", "behind", "spent", "away", "origins", "runs", "state")
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    EMITTED_FIELD_NUMBER: _ClassVar[int]
    SAME_FIELD_NUMBER: _ClassVar[int]
    OFFSETS_FIELD_NUMBER: _ClassVar[int]
    LENGTHS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    INLINE_FIELD_NUMBER: _ClassVar[int]
    NEED_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    BEHIND_FIELD_NUMBER: _ClassVar[int]
    SPENT_FIELD_NUMBER: _ClassVar[int]
    AWAY_FIELD_NUMBER: _ClassVar[int]
    ORIGINS_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    verdicts: bytes
    emitted: _containers.RepeatedScalarFieldContainer[int]
    same: bytes
    offsets: _containers.RepeatedScalarFieldContainer[int]
    lengths: _containers.RepeatedScalarFieldContainer[int]
    labels: _containers.RepeatedCompositeFieldContainer[Labels]
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    sides: _containers.RepeatedCompositeFieldContainer[Side]
    counts: _containers.RepeatedCompositeFieldContainer[Count]
    inline: bytes
    need: int
    done: bool
    behind: _containers.RepeatedCompositeFieldContainer[FromWorker]
    spent: int
    away: _containers.RepeatedScalarFieldContainer[bytes]
    origins: _containers.RepeatedCompositeFieldContainer[Origins]
    runs: _containers.RepeatedScalarFieldContainer[int]
    state: bytes
    def __init__(self, verdicts: _Optional[bytes] = ..., emitted: _Optional[_Iterable[int]] = ..., same: _Optional[bytes] = ..., offsets: _Optional[_Iterable[int]] = ..., lengths: _Optional[_Iterable[int]] = ..., labels: _Optional[_Iterable[_Union[Labels, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., sides: _Optional[_Iterable[_Union[Side, _Mapping]]] = ..., counts: _Optional[_Iterable[_Union[Count, _Mapping]]] = ..., inline: _Optional[bytes] = ..., need: _Optional[int] = ..., done: _Optional[bool] = ..., behind: _Optional[_Iterable[_Union[FromWorker, _Mapping]]] = ..., spent: _Optional[int] = ..., away: _Optional[_Iterable[bytes]] = ..., origins: _Optional[_Iterable[_Union[Origins, _Mapping]]] = ..., runs: _Optional[_Iterable[int]] = ..., state: _Optional[bytes] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("code", "path", "message", "record")
    CODE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    code: str
    path: str
    message: str
    record: bytes
    def __init__(self, code: _Optional[str] = ..., path: _Optional[str] = ..., message: _Optional[str] = ..., record: _Optional[bytes] = ...) -> None: ...

class Side(_message.Message):
    __slots__ = ("index", "output", "json")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    index: int
    output: str
    json: bytes
    def __init__(self, index: _Optional[int] = ..., output: _Optional[str] = ..., json: _Optional[bytes] = ...) -> None: ...

class Count(_message.Message):
    __slots__ = ("name", "n")
    NAME_FIELD_NUMBER: _ClassVar[int]
    N_FIELD_NUMBER: _ClassVar[int]
    name: str
    n: int
    def __init__(self, name: _Optional[str] = ..., n: _Optional[int] = ...) -> None: ...
