"""Loads word lists from two packages: names and places of some eighty languages and lands from Faker, and from probablepeople
how often a word is a given name among all American names that it is part of. Nothing is downloaded.
"""

import functools
import importlib
import pkgutil
import unicodedata
import zoneinfo

import romanized

# Words that Faker or probablepeople has as names, and that mean something else in most texts with capitals: what people
# write software with and about, weekdays, months, words of headings.
NO_NAMES = set("""
a ad ai al all am an and ant api app art as at be best big bin by can case chart chip code cookie copy core crew data date day
days de dear del den der des di do don down east eden edit el else en end eve ever exit far fee file fin first flow fn font for
form free from fun gap general get git go god good grand great green guide hall he her here hi his holiday how i if ii iii im
in index info int is it item iv java jet joy june just key kit la lab last le let level lib like line link list log logo long los
love low mac main major make man many map mass max may me monte media men menu merry mi min minor miss mode model monday more most mr
mrs ms my name nan near net new next no node none noon nor north note now null of off ok old on one only oh open or order our out
own page pass path pay per phi pi pin ping plan play plus point pop port post pre press print pro prof proxy pure queen ray read
real red rest rev rock root row run sad safe sage saint san santa sao sat save say see set she ship show sir site sky so soft son
song south star start state step still stop store string su sun sunday super sure table tag tan task team test text thanks that
the then they this thu time tip title to token tool top total trip true try tue tuesday turn two type un unit up use user very
via view von wed wednesday week west what when where which white who wide wind wise with word work world yes you young your zero
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
november december jan feb mar apr jun jul aug sep oct nov dec lundi mardi mercredi jeudi vendredi samedi dimanche montag dienstag
mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember enero febrero marzo abril mayo junio
julio agosto lunes martes viernes sábado domingo
ada alexa alpine amber angular ansible apollo argo ariel aurora avro babel bard basic bash beam bert bing blender bloom boost
bootstrap bower bun caddy caffe canva cassandra celery ceph chef chrome clang claude clojure cobalt cobol codex colab conda confluence
copilot coral cortana cursor cypher cypress dart dask debian deepmind delta derby devin django docker drupal eclipse edge eliza ember
emma ernie euclid eureka falcon fedora figma firebase firefox flash flask flink flutter fortran gemini gemma gitlab glade gradle
grafana granite grok groovy haiku harbor haskell hive hudi hugo iris ivy jade jasmine java jenkins jest jira jordan julia jupiter
jupyter kafka karma keras kibana kotlin lambda laravel lava lisp llama lua lucene lucy luna lynx macos magento mariadb mars matlab
maven maxima mercurial mercury mesa meta metal milvus mistral mocha modin mojo monaco mongo muse mustang nagios neo neon nova numba
numpy nuxt oasis octave odin oozie opera opus oracle orion owl oxygen pandora parquet pascal perl phi phoenix pig pixel prisma
prometheus puppet python quasar quartz rails redis redwood rex ruby rust safari salt sass scala scipy scratch selenium sierra siri
slack solaris solr sonata sonnet spark sphinx spring squid stella storm svelte swift sybase symfony tableau tesla thor titan tomcat
tornado trello ubuntu unity vagrant vault vega venus vera vespa vim viper vite vue vulkan windows xcode yarn yi zed zen zeus zig
zookeeper
princess prince king queen emperor duke lord lady count baron pope saint royal holy mount mt fort lake cape hurricane
german french english spanish italian dutch polish russian chinese japanese korean american british indian african european asian
latin greek roman christian muslim jewish israel india china iran egypt chad georgia jordan kenya malta cuba america africa asia
europe london paris berlin madrid rome milan vienna sydney delhi houston dallas denver boston carolina virginia dakota montana
nevada alabama indiana arizona texas florida washington florence victoria santiago brooklyn
beta gamma delta zeta theta iota kappa lambda mu nu xi omicron rho sigma tau upsilon chi psi omega odd ninja alla charm graph gregorian kelvin swagger sine cosine sans mail mato brave apache alpha tai travis fossa valid ran sole peer register updated feature pango above below dot accept add added aim allow back bare bug bulk call change check
clear close command commit copy create current custom delete demo deploy draft drop dry early edge enable ensure err error even every
false fast fix fixed full good help hook image import initial install invalid keep kind late lean learn legal like load local lock long
loop meet memory merge mint missing more move near need nested next nice obsolete open other outer parent park patch pick pin pop prime
private public pull push quick range rare raw remove rename render rent replace reset result rich rule running save select send server
set share shared short simple single skip slow small smart solid some stack static stop strict strong such swap sync target temp
temporary thin time trace track train trigger trim turn undo unused upper usage used using want warm watch weak weird well wild will
wire write wrong zip
content contents chapter section figure example appendix introduction overview summary abstract license copyright warning
error notice note see also returns return value values parameters parameter options option usage default description
""".split())

# Words that make a thing of a name before them: Lincoln Park, Nobel Prize, Maria Street.
THINGS = set("""
action alert apps archive args assets authors backend bar block body browser bug bugs button cache canvas case catalog category change
changes channel chart check class click cloud cluster code command commit component config configuration connection container content
context control controller cookie copyright core counter coverage customer dashboard debug default demo dialog directory docs document
domain driver edit element email encoding endpoint entity entry env error event example exception exchange exit export extension feature
fields file files fix flag folder font form format frame frontend generator graph group handler header hook host icon id image images
import index info input install instance interface item job jobs json key kit label layout level link list load log login logo loop
manager map mark markup matrix menu message messages meta method metric metrics migration module modules monitor name names namespace
network node nodes object online operator option options output package packages page pages panel parser patch path pattern pipeline
platform player plugin policy pool post print process profile program promise prompt property protocol provider proxy query queue
quick record reference register registry release repo report request resource response role root row rows runtime sandbox schema scope
screen script scripts sdk search secret security select session setting settings setup sheet signal site slot snapshot source space
spec stack stage standard state statement static status step storage stream string style support switch sync syntax table tag tags
target task tasks template tenancy terminal text theme thread time title token toolbar toolkit tracker transaction translation tree
trigger type types unit update upload url user users util utility utils val value values variable vector video view virtual visual
warning wave web widget widgets window wizard word workflow workspace wrapper

airport academy agency air algorithm algorithms angles api app area arena assistant association avenue award awards bank bar basin bay
beach blur board boulevard bot boulder bridge building bureau bush canal canyon case castle cathedral cave cell center centre chain
chapel charts church city class cli club coast code coefficient college committee company conference constant core corporation corp
council county court creek cup day dataset database desert desktop disease distribution district drive echo edition editor effect
election engine equation equations estate express factory falls family festival field filter flash force forest formula foundation
framework function gallery game games garden gardens gate gmbh group guide hall harbor harbour highway hill hills hospital hotel house
hub inc inequality institute instant integral island islands issue kernel lab laboratory labs lake lane language league library license
licence limited line llc lodge ltd machine magazine mall manor map market marathon matrix max medal memorial method mine mini
mission model mode mountain mountains museum music national notation number office olympics opera opus orchestra order palace park parkway
party pass patch peak phone pier place plains plan plant plaza point pool port press prison prize problem process product products
project protocol quarter railway ranch range reef region report republic resort restaurant river road rock room route royal rule
school science sea section sensor sequence series server service services shop show society software solutions sonnet sort spring springs
square stadium star state station store strait strasse street studio suite summit super syndrome system systems team technologies
technology temple terrace test theater theatre theorem theory tool tools tower town township trail transform tree trophy trust
tunnel turbo type ultra union university valley value version village vineyard watch waterfall way week wharf wood woods works year
zone zoo
""".split())


def plain(word):
    """Removes accents, as many people write their names without them."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).translate(STROKES)


STROKES = str.maketrans({"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ı": "i", "ß": "ss", "æ": "ae", "Æ": "Ae"})


def words_of(kind, *prefixes):
    """Returns the entries of all lists of one kind of Faker's providers whose names begin with one of some prefixes."""
    package = importlib.import_module("faker.providers." + kind)
    entries = set()
    for module in pkgutil.iter_modules(package.__path__):
        if kind == "person" and module.name == "en":  # which has the surnames of Americans among their given names
            continue
        provider = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "Provider", None)
        for name in dir(provider):
            if name.startswith(prefixes) and isinstance(values := getattr(provider, name), (tuple, list, dict)):
                entries.update(v for v in values if isinstance(v, str))
    return entries


def split(entries):
    """Returns the single words of entries in lower case, also without accents."""
    words = {w.strip(".,'’").lower() for e in entries for w in e.replace("/", " ").split()}
    return words | {plain(w) for w in words}


# Words of the list above that many people have as a surname.
SURNAMES_TOO = set("""
king green white young best day long page love may west north hall read duke prince noble english french german roman florence london
paris berlin jordan pope lord ray root stone banks major wood woods bush mann wise rich hope strong good smart small power swift washington key jefferson jackson lincoln madison austin houston
""".split())

# Names that are common words too, in the languages in which Faker's texts do not have them.
WEAK = set("""
ada alexa ariel austin bert boston chad claude coral dakota dallas denver devin eliza emma ernie florence gemma georgia hugo india
israel jan joan julia kenya leo lucy luna malta mar max montana nova odin pascal phoenix rex santiago sierra stella sydney thor vega vera
victoria virginia carolina alabama arizona florida
amber angel art aurora autumn bill bliss bob bud buddy candy carol case chance charity chase chip christian clay cliff crystal daisy
dale dawn dean destiny drew duke earl ernest eve faith fern ford forest forrest frank gene ginger glen grace grant harmony hazel
heather heaven herb holly honor hope hunter iris ivy jack jade jasmine jay jean jewel jordan joy june justice kit lane laurel lily mark
marina mason melody mercedes mercy merry miles misty montana myrtle nick noble norm olive pat paris parker patience pearl penny piper
vienna lourdes orlando odessa salem milan
poppy price prudence rain ray reed rich river rob robin rocky rose rosemary ruby rusty sandy savannah scarlet scout sky skip spike
sterling stormy sue summer sunny taylor terry tiffany trinity trip troy tucker van vic victor viola violet wade ward warren will willow
winter woody wren
""".split())


# Given names that are also names of programs, letters, stars and the like.
NOT_ALONE = set("""
sofia brittany augusta eugene olympia adam xavier loan adele adobe akira dylan patricia rosetta kitty inga kala casey morse clark bourne korn nelson abel klein riemann alma alpha andromeda aria arlo atari athena atlas bella beta brooks cadence cal catalina ceres charlotte chi
clair cleo colby coco columbia corin crystal cyrus darwin decho delphi demeter dino dolly dora dot edison electra etta fermi florian
gala galileo galilee gamma geo gerrit gizmo hera hermes homer inez io izzy jarvis jody juno kali kenya king kona lambda lena len leonardo
linus lisa loki maia marlin mel meta milan minerva mira moira nash nim ninja newton nita odyssey omega orion osiris pandora perseus phoebe
pluto psi quinn raven rhea rio romeo sable saturn scala shiloh sigma silas slave sol sonic sparky tau teal thales theta titania trinity
troy tyr uma uri ursa valencia verona viki vita wiki xi yoda zeta zora
""".split())


class Lists:
    """The lists, all in lower case. given and surnames hold names, common holds words that are more often no name."""

    def __init__(self):
        from probablepeople.ratios import ratios

        given = words_of("person", "first_names", "first_romanized", "middle_names")
        surnames = words_of("person", "last_names", "last_romanized", "male_last_names", "unisex_last_names")
        self.han_given = {g for g in given if is_han(g)}
        self.han_surnames = {s for s in surnames if is_han(s)}
        self.given, self.surnames = split(given), split(surnames)
        self.given |= romanized.latin(self.given)
        self.surnames |= romanized.latin(self.surnames)
        self.american = ratios  # in capitals
        texts = split(words_of("lorem", "word_list", "english_word_list", "common_words"))
        work = split(words_of("company", "bsWords", "catch_phrase_words") | words_of("job", "jobs"))
        named = {w for w in texts if w in self.surnames or w in self.given and ratios.get(w.upper(), 0) > 0.9}  # Juan, Maria and Lopez
        english = split(words_of("lorem", "english_word_list"))
        self.common = (texts - named) | english | work | WEAK | split(words_of("address", "countries", "states", "provinces"))
        self.cities = {zone.split("/")[-1].lower() for zone in zoneinfo.available_timezones()}  # Adelaide
        self.kind = functools.lru_cache(maxsize=1 << 16)(self.kind_of)

    def kind_of(self, word):
        """Returns how surely a word with a capital is a given name and a surname, each 0 to 2, or None where it is in no
        name at all.
        """
        low = word.rstrip(".").lower()
        if low in NO_NAMES and low not in WEAK:
            return (0, 1) if low in SURNAMES_TOO else None
        share = self.american.get(low.upper())
        given = low in self.given or (share or 0) > 0.3
        if low.endswith(PATRONYMICS):
            return 0, 2
        surname = low in self.surnames or share is not None and share < 0.7
        if low.startswith(PREFIXES) and len(low) > 6:
            return 0, 2
        if not given and not surname and "-" in low:  # Jean-Luc, Meyer-Schmidt
            parts = [self.kind(p) or (0, 0) for p in low.split("-") if p]
            return tuple(min(p[i] for p in parts) for i in (0, 1)) if parts else (0, 0)
        sure = 1 if low in self.common or low in THINGS else 2
        return (0 if not given else 1 if low in self.cities else sure, sure if surname else 0)

    def known(self, word):
        """Reports whether many people bear a word as given name, and nothing else does, so that it is one by itself too."""
        low = word.lower()
        return low in self.given and self.american.get(low.upper(), 0) > 0.5 and low not in NOT_ALONE


PREFIXES = ("al-", "el-", "ben-", "abdel-", "abdul-", "abd-")
PATRONYMICS = ("ович", "евич", "овна", "евна", "івна", "йович")


def is_han(text):
    return all("\u3400" <= c <= "\u9fff" for c in text)
