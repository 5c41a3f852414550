"""Finds street addresses by the forms that they have in different languages, and names of accounts in paths and prompts."""

import re

from names import SPACE, UPPER

CAP = rf"[{UPPER}][\w'’.-]*"
SMALL = r"(?:de|del|della|dello|delle|degli|dei|da|das|do|dos|di|du|des|d['’]|l['’]|la|las|le|les|los|el|et|e|y|i|von|vom|van|der|den|dem|zur|zum|im|am|an|in|of|the|upon|on|aux?|à|sur|sous|sainte?|san|santa|ter|ten|op|het|aan|de la|nad|pod|na|ob|pri|bei|sul|nel|lès|lez|w)"
LINE = rf",?{SPACE}*\n{SPACE}*(?:>{{1,3}}{SPACE}*|[#*/;]{{1,3}}{SPACE}+)?"  # of a quotation or a comment too
SEP = rf"(?:{LINE}|\\n|,{SPACE}*|{SPACE}*[–-]{SPACE}+|{SPACE}*/{SPACE}*|{SPACE}{{1,2}})"
NUMBER = r"\d{1,5}(?:[-/–]\d{1,4}|[ -]?[A-Za-z](?!\w))?(?:/\d{1,3}[a-z]?)?(?![\w%])"
WORDS = rf"{CAP}(?:{SPACE}(?:{SMALL}{SPACE}?){{0,2}}{CAP}){{0,4}}(?:{SPACE}\d[ªº](?:{SPACE}{CAP})?)?"

STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT"
    "|VA|WA|WV|WI|WY|PR|GU|VI|AS|MP|MH|FM|PW|Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho"
    "|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada"
    "|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina"
    "|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|NSW|VIC|QLD|TAS|ACT|ON|QC|BC|AB|MB|SK|NS|NB|NL"
)
ZIP = rf"(?:(?:{STATES})(?:[ ,]{{1,2}}|{LINE})\d{{5}}(?:-\d{{4}})?(?!\d)|(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT)[ ,]{{1,2}}\d{{4}}(?!\d))"
BRITISH = r"(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?!\w)|[A-Z]\d[A-Z] ?\d[A-Z]\d(?!\w))"  # and Canadian ones
POSTCODE = rf"(?:(?:[A-Z]{{1,2}}-|CEP:? ?|CAP ?|PLZ ?|CP ?)?(?:\d{{2}}-\d{{3}}|\d{{5}}-\d{{3}}|\d{{4}}-\d{{3}}|\d{{3}} \d{{2,3}}|\d{{4}} ?[A-Z]{{2}}|\d{{4,6}}|\d{{8}})(?![\w%]))"
LONGCODE = r"(?:\d{5,6}|\d{8}|\d{5}-\d{3}|\d{2}-\d{3})"
PROVINCE = rf"(?:{SPACE}\([A-Z]{{2}}\)|{SPACE}?[/,-]{SPACE}?[A-Z]{{2}}(?!\w))?"
COUNTRY = (
    r"(?:Afghanistan|Albania|Algeria|Argentina|Armenia|Australia|Austria|Azerbaijan|Bangladesh|Belarus|Belgium|Bolivia|Bosnia and Herzegovina|Brazil|Bulgaria|Cambodia|Cameroon|Canada"
    r"|Chile|China|Colombia|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|Czechia|Denmark|Dominican Republic|Ecuador|Egypt|El Salvador|Estonia|Ethiopia|Finland|France|Georgia|Germany"
    r"|Ghana|Greece|Greenland|Guatemala|Honduras|Hong Kong|Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Kuwait|Latvia|Lebanon"
    r"|Lithuania|Luxembourg|Malaysia|Malta|Mexico|Moldova|Morocco|Nepal|New Zealand|Netherlands|The Netherlands|Nicaragua|Nigeria|North Macedonia|Norway|Pakistan|Panama|Paraguay|Peru"
    r"|Philippines|Poland|Portugal|Qatar|Romania|Russia|Saudi Arabia|Serbia|Singapore|Slovakia|Slovenia|South Africa|South Korea|Spain|Sri Lanka|Sweden|Switzerland|Taiwan|Tanzania"
    r"|Thailand|Tunisia|Turkey|UAE|UK|USA|U\.S\.A\.|US|Uganda|Ukraine|United Arab Emirates|United Kingdom|United States(?: of America)?|Uruguay|Uzbekistan|Venezuela|Vietnam|Zambia|Zimbabwe"
    r"|Deutschland|Österreich|Schweiz|España|Italia|Brasil|Polska|Belgique|Suisse|Sverige|Norge|Danmark|Suomi|Nederland|België)(?!\w)"
)
UNIT = rf"(?:(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|Studio|Appartamento|Piano|Scala|Interno|Piso|Puerta|Apto|Appt|Esc|Wohnung|lok|m|кв|Top|Stiege|Depto|Interior|Int|Edificio|Bloco|Bât|Lote|Casa|Local|Oficina|interno|lgh|bus)\.?{SPACE}?[\w-]{{1,6}}|#{SPACE}?\w{{1,6}}|\d{{1,2}}[ºª°]{SPACE}?(?:[A-Za-z]{{1,5}}\.?)?|\d{{1,2}}(?:st|nd|rd|th) (?:floor|Floor))"
# What may follow the street: a unit, districts and cities, ending in a postcode, with the city or the state beside it.
TAIL = rf"(?:{SEP}{UNIT}){{0,2}}(?:(?:{SEP}{WORDS}){{0,3}}?{SEP}(?:{ZIP}|{BRITISH}|{POSTCODE}{SEP}(?:{SMALL}{SPACE})?{WORDS}{PROVINCE}|{POSTCODE}(?={SPACE}*(?:[.,;:!?)\"'\n]|$))|{LONGCODE}(?={SPACE}[a-z])|\n?{SPACE}*{COUNTRY}(?:,?{SPACE}\d{{4,6}}(?!\d))?)(?:{SEP}{COUNTRY})?)?"
PLACE = rf"(?:,{SPACE}?{CAP}(?:{SPACE}{CAP}){{0,2}}(?={SPACE}*(?:[.;!?)\"'\n]|$))(?:,{SPACE}?(?:{STATES}))?)?"

SURE = "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Parkway|Pkwy|Highway|Hwy|Crescent|Cres|Terrace"
UNSURE = "Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Close|Grove|Gardens|Mews|Circle|Cir|Way|Trail|Trl|Walk|Row|Quay|Broadway|Loop|Plaza|Alley|Expressway|Esplanade|Parade|Hill|Rise|View|Park"
ENGLISH_NAME = rf"(?:(?:{CAP}|\d{{1,3}}(?:st|nd|rd|th)){SPACE}){{1,4}}?"
ENGLISH = re.compile(rf"(?:{UNIT}{SEP})?(?:\d{{1,5}}{SPACE})?{NUMBER},?{SPACE}{ENGLISH_NAME}(?:(?P<sure>{SURE})|(?P<unsure>{UNSURE}))\b\.?(?:{SPACE}(?:[NSEW]{{1,2}}|North|South|East|West)\b)?(?P<tail>{TAIL}){PLACE}")
# A number or a flat, and up to five parts of capitals, of which the last is a postcode.
CODED = re.compile(rf"(?:{UNIT}{SEP})?{NUMBER},?{SPACE}{CAP}(?:{SPACE}[\w'’.-]{{2,20}}){{0,3}}(?:{SEP}{UNIT})?(?:{SEP}{WORDS}){{1,3}}?{SEP}(?:{ZIP}|{BRITISH})|(?:{UNIT}){SEP}{CAP}(?:{SPACE}[\w'’.-]{{2,20}}){{0,3}}(?:{SEP}{WORDS}){{0,3}}?{SEP}{BRITISH}")
FRENCH = re.compile(rf"(?:\d{{1,5}}{SPACE})?{NUMBER},?{SPACE}(?:bis,?{SPACE}|ter,?{SPACE})?(?:[Rr]ue|[Aa]venue|[Aa]v\.|[Bb]oulevard|[Bb]d\.?|[Cc]hemin|[Pp]lace|[Aa]llée|[Ii]mpasse|[Qq]uai|[Rr]oute|[Cc]ours|[Pp]assage|[Ff]aubourg|[Ss]quare){SPACE}(?:{SMALL}{SPACE}?){{0,3}}{WORDS}{TAIL}{PLACE}")
# A unit after a street whose words say nothing: 12 Allika 46, Suite 501, Riisa, Estonia 62488.
UNITED = re.compile(rf"(?:{NUMBER}{SPACE})?{WORDS}(?:{SPACE}{NUMBER})?\.?{SEP}(?:Apt|Apartment|Suite|Ste|Unit|Flat)\.?{SPACE}\d{{1,5}}(?!\w)(?P<tail>{TAIL}){PLACE}")
# Words after which an address is said, and then a number and a name of any street.
CUED = re.compile(rf"(?:\b(?:[Ll]ives? (?:at|on)|[Aa]ddress(?: is|:| to)|[Ss]hip(?:ped)? (?:it )?to|[Ss]en[dt] (?:it |this )?to|[Rr]eturn to|[Mm]eet (?:me |you )?at|[Dd]eliver(?:ed)? to|[Tt]axi to|[Dd]rops you off at|[Mm]oved to|[Rr]esid(?:es|ing) at|[Ll]ocated at)){SPACE}(?P<street>{NUMBER},?{SPACE}{WORDS}(?:{SPACE}{NUMBER})?(?P<tail>{TAIL}){PLACE})")
# The words with which streets begin where the number comes last.
CAPITAL_LEAD = (
    r"(?:Calle|C/|Avenida|Avda|Av|Plaza|Pza|Paseo|P\.º|Camino|Carrera|Cra|Calzada|Ronda|Travesía|Callejón|Cañada|Cuesta|Glorieta|Pasaje|Pasadizo|Rambla|Urbanización"
    r"|Alameda|Acceso|Vial|Privada|Prolongación|Boulevard|Circuito|Cerrada|Retorno|Andador|Peatonal|Eje vial|Corredor|Diagonal|Transversal"
    r"|Rue|Avenue|Chemin|Allée|Impasse|Quai|Chaussée|Drève|Clos"
    r"|Via|Viale|Piazza|Piazzale|Piazzetta|Corso|Largo|Vicolo|Strada|Contrada|Borgo|Rotonda|Canale|Incrocio|Stretto|Lungomare|Lungotevere"
    r"|Rua|R\.|Travessa|Praça|Estrada|Rodovia|Ladeira|Viela|Vila|Vale|Sítio|Setor|Residencial|Quadra|Praia|Passarela|Parque|Núcleo|Morro|Loteamento|Lagoa|Ladeira|Jardim|Feira|Favela|Fazenda|Distrito|Conjunto|Condomínio|Colônia|Chácara|Campo|Aeroporto|Área|Esplanada|Estação|Lago|Pátio|Recanto|Trecho|Trevo|Vereda|Viaduto|Rossio|Azinhaga"
    r"|Bulevardul|B-dul|Bd\.|Aleea|Calea|Str\.|Strada|Șoseaua|Jl\.|Jalan|Gang|Gg\."
    r")"
)
POLISH_LEAD = r"(?:[UuAaPp]l\.|[Oo]s\.|[Uu]li(?:ca|ce)|[Aa]lej[ae]|[Pp]lac|[Oo]siedle|[Nn]áměstí|[Nn]ám\.)"
CYRILLIC_LEAD = r"(?:[Уу]л\.|[Уу]лица|[Пп]р\.|[Пп]росп\.|[Пп]роспект|[Пп]ер\.|[Пп]ереулок|[Бб]ульвар|[Бб]-р|[Шш]оссе|[Шш]\.|[Нн]аб\.|[Нн]абережная|[Вв]ул\.|[Вв]улиця|Οδός|Λεωφόρος)"
LEAD = f"(?:{CAPITAL_LEAD}|{POLISH_LEAD}|{CYRILLIC_LEAD})"
LED = re.compile(rf"(?:\d{{1,5}}{SPACE})?(?:(?:г\.{SPACE}?|\d{{6}},{SPACE})?(?:г\.{SPACE}?)?{CAP},{SPACE})?(?:{LEAD}\.?{SPACE}|C/)(?:\d{{1,2}}{SPACE})?(?:{SMALL}{SPACE}?){{0,3}}{WORDS}(?:,?{SPACE}|,)(?:(?:[Nn][.º°]+o?|nº|n\.º|nr\.?|No\.?|д\.|дом|буд\.|č\.|č\.p\.|km|#){SPACE}?)?(?P<number>{NUMBER})(?:,?{SPACE}(?:к\.|корп\.|стр\.|кв\.){SPACE}?\d{{1,4}})*(?P<tail>{TAIL}){PLACE}")
# Streets without a number, before a postcode and its city.
UNNUMBERED = re.compile(rf"(?:{LEAD}\.?|[Rr]ue|[Aa]venue|[Bb]oulevard|[Cc]hemin|[Pp]lace){SPACE}(?:{SMALL}{SPACE}?){{0,3}}{WORDS}(?:{SEP}{WORDS}){{0,2}}?{SEP}{LONGCODE}{SPACE}(?:{SMALL}{SPACE})?{WORDS}{PROVINCE}")
# Where the name of the street ends in the word for a street.
GERMANIC = r"(?:straße|strasse|str\.|weg|platz|allee|gasse|damm|ufer|steig|chaussee|promenade|straat|laan|plein|gracht|kade|dijk|singel|steeg|gatan|vägen|gränd|torget|gata|veien|vegen|gate|vej|gade|alléen|stræde|katu|kuja|polku)"
COMPOUND = re.compile(rf"(?:\d{{1,5}}{SPACE})?(?:\b(?:[Vv]an|[Vv]on|[Dd]e)(?: de[rnm]?)?{SPACE})?(?:{CAP}{SPACE}){{0,2}}{CAP}(?:(?<=[a-zäöüßåøæéèáA-Z-]){GERMANIC}|(?<=-)(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer)|{SPACE}(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer|utca|út|útja|u\.|tér|körút|gate|gata|vei|veg|terrasse|allé|maantee|tänav|cesta|iela|gatvė)){SPACE}{NUMBER}\.?{TAIL}{PLACE}")
KINDRED = re.compile(rf"(?:[{UPPER}][\w-]+(?:ring|hof|markt|pad|tie|vei|baan|stien)|(?:An? der|Am|Im|Auf dem|Zum|Zur|Unter den|In der){SPACE}{CAP}(?:{SPACE}{CAP})?|(?P<any>{CAP}(?:{SPACE}{CAP}){{0,2}})){SPACE}{NUMBER}(?:,?{SPACE}?\n|,{SPACE}|{SPACE})(?:(?:[DAB]|CH|NL|SE|CZ|SK|PL)-)?(?:\d{{5}}|\d{{4}} ?[A-Z]{{2}}|\d{{3}} \d{{2}}|\d{{2}}-\d{{3}}|(?(any)(?!)|\d{{4}})){SPACE}[{UPPER}][^\W\d_]{{2,}}(?:[ -](?:am|an der|im|bei|in|{CAP})){{0,3}}")
TURKISH = re.compile(rf"{CAP}(?:{SPACE}{CAP}){{0,3}}{SPACE}(?:Mah\.|Mahallesi|Mh\.)?(?:,?{SPACE}(?:{CAP}|\d{{1,5}}\.?)(?:{SPACE}{CAP}){{0,3}})?{SPACE}(?:Sok\.|Sokak|Sokağı|Sk\.|Cad\.|Caddesi|Cd\.|Bulvarı),?{SPACE}(?:No:?{SPACE}?)?{NUMBER}(?:,?{SPACE}(?:D:|Daire:?){SPACE}?\d{{1,3}})?{TAIL}{PLACE}")
BOX = re.compile(rf"(?:\b(?:P\.? ?O\.? ?Box|Post Office Box|Postfach|Postbus|Apartado(?: de Correos)?|Casella postale|Caixa Postal|Skrytka pocztowa|B\.P\.)|(?:PSC|Unit)(?=[ ]\d{{1,5}},?[ ]Box)){SPACE}\d{{1,6}}(?:,?{SPACE}Box{SPACE}\d{{1,5}})?(?:(?:{SEP}{WORDS}){{0,2}}?{SEP}(?:{ZIP}|{BRITISH}|{POSTCODE}{SEP}{WORDS}|[AFD]PO{SPACE}A[AEP]{SPACE}\d{{5}}))?|\bUS(?:NS|S|CGC|NV){SPACE}{CAP}{SEP}[AFD]PO{SPACE}A[AEP]{SPACE}\d{{5}}")
JAPANESE = re.compile(r"(?:〒?\d{3}-\d{4}[ 　]*)?(?:東京都|北海道|(?:京都|大阪)府|[\u4e00-\u9fff]{2,3}県)[\u3005-\u30ff\u4e00-\u9fffヶケ]{1,20}[市区町村郡][\u3005-\u30ff\u4e00-\u9fffヶケ]{0,20}(?:[0-9０-９]{1,4}(?:丁目|番地|番|号|[-－−の])?){1,4}(?:[ 　][\u3005-\u30ff\u4e00-\u9fffA-Zー]{2,20}[0-9]{0,4}号?室?)?")
CHINESE = re.compile(r"(?:[\u4e00-\u9fff]{2,8}(?:省|自治区))?(?:[\u4e00-\u9fff]{1,6}[市县縣])(?:[\u4e00-\u9fff]{1,6}[区區县縣])?[\u4e00-\u9fff]{1,10}(?:路|街道?|道|巷|弄|大道|胡同)(?:[一二三四五六七八九]段)?(?:[0-9０-９]{1,5}(?:号|號|弄)(?:[0-9]{1,4}(?:号楼|栋|单元|室|楼|樓|之[0-9]))*|[A-Za-z]座)(?:[ ,，]{0,2}\d{6}(?!\d))?")
KOREAN = re.compile(r"[가-힣]{2,8}(?:시|도)[ ](?:[가-힣]{1,6}[시군구][ ]){1,2}[가-힣\d]{1,12}(?:로|길|동|대로)[ ]?\d{1,4}(?:-\d{1,4})?(?:[ ]?\([가-힣\d ]{1,20}\))?(?:[ ][가-힣\d]{1,8}(?:동|호|층))*")
INDIAN = re.compile(r"(?:H\. ?No\.|\d{1,4}(?:/\d{1,4})?),?[ ](?:[\u0900-\u0dff]+,?[ \n]){1,6}?[\u0900-\u0dff]+[ ]?[-–]?[ ]?\d{6}(?!\d)")

ENDINGS = tuple("straße strasse str. weg platz allee gasse damm ufer steig chaussee promenade straat laan plein gracht kade dijk singel steeg ring".split()) + tuple(
    "gatan vägen gränd torget gata veien vegen gate vej gade alléen stræde katu kuja polku utca út útja u. tér körút vei veg terrasse allé maantee tänav cesta iela gatvė".split()
)
NUMBERED = re.compile(r"[\w.] \d")


def compounds(text):
    """Yields where a number follows the end of a word for a street."""
    for m in NUMBERED.finditer(text):
        if text[max(0, m.start() - 9) : m.start() + 1].lower().endswith(ENDINGS):
            yield m


POLISH = re.compile(rf"{POLISH_LEAD}(?= [{UPPER}\d])")
POLISH_WORDS = ("l. ", "s. ", "m. ", "lica ", "lice ", "lej", "lac ", "siedle ", "stí ")


def polish(text):
    """Yields where words for streets in Polish and Czech are."""
    if any(w in text for w in POLISH_WORDS):
        yield from POLISH.finditer(text)


# Where an address of some expressions may be; only what is around such a place is searched.
HITS = [
    (re.compile(rf" (?:{SURE}|{UNSURE})\b").finditer, [ENGLISH]),
    (re.compile(r"[ ]\d(?:\d{4}|[A-Z]{2}|[A-Z]\d|\d{3})(?!\w)").finditer, [CODED]),
    (re.compile(r"\d,? (?:bis,? |ter,? )?(?:[Rr]ue|[Aa]v|[Bb]oul|[Bb]d|[Cc]hem|[Pp]lace|[Aa]llée|[Ii]mpasse|[Qq]uai|[Rr]oute|[Cc]ours|[Pp]assage|[Ff]aub|[Ss]quare)").finditer, [FRENCH]),
    (re.compile(rf"[ ,\n-]\d{{5}}(?:-?\d{{3}})? (?:{SMALL} )?[{UPPER}]").finditer, [UNNUMBERED]),
    (re.compile(rf"{CAPITAL_LEAD}(?:\.? [{UPPER}\da-z]|(?<=C/)\w)").finditer, [LED]),
    (polish, [LED]),
    (compounds, [COMPOUND]),
    (re.compile(r"(?:Apt|Apartment|Suite|Ste|Unit|Flat)\.? \d").finditer, [UNITED]),
    (re.compile(r"(?:ives? (?:at|on)|ddress(?: is|:| to)|hip(?:ped)? (?:it )?to|en[dt] (?:it |this )?to|eturn to|eet (?:me |you )?at|eliver(?:ed)? to|axi to|off at|oved to|esid(?:es|ing) at|ocated at) \d").finditer, [CUED]),
    (re.compile(rf" \d{{1,4}}[a-z]?(?:/\d{{1,4}})?(?:,? ?\n|, ?| )(?:[A-Z]{{1,2}}-)?\d{{2,5}}[ -](?:\d{{2,3}} |[A-Z]{{2}} )?[{UPPER}]").finditer, [KINDRED]),
    (re.compile(r"(?:Mah|Mh|Sok|Sk|Cad|Cd|Bulv)[a-zıığ]*\.? ").finditer, [TURKISH]),
    (re.compile(r"(?:P\.? ?O\.? ?Box|Post Office Box|Post(?:fach|bus)|Apartado|Casella|Caixa Postal|Skrytka|B\.P\.|PSC|Unit \d|US(?:NS|S|CGC|NV) )").finditer, [BOX]),
]
HAN_HIT, HANGUL_HIT, INDIAN_HIT = re.compile(r"[都道府県省市路街](?=.{0,30}[0-9０-９A-Za-z])"), re.compile(r"[로길동] ?\d"), re.compile(r"[\u0900-\u0dff] ?[-–]? ?\d{6}(?!\d)")
ELSEWHERE = [
    (HAN_HIT.finditer, [JAPANESE, CHINESE]),
    (HANGUL_HIT.finditer, [KOREAN]),
    (INDIAN_HIT.finditer, [INDIAN]),
    (re.compile(rf"{CYRILLIC_LEAD}(?=,? ?\d| )").finditer, [LED]),
]
BACK, AHEAD = 110, 200  # code points around a hit that are searched

ADDRESSED = re.compile(r"(?:\b(?:at|address|live|lives|lived|located|ship|shipped|deliver|delivered|send|sent|to|near|office|home|house|from|visit|moved|street|resid\w+|mailing|billing|shipping|property)\b[^\n]{0,30}|[\"'\n>]\s*|: ?|^)$", re.I)
NO_STREET = re.compile(r"\b(?:Google|Hard|Disk|Flash|USB|Supreme|Federal|High|District|Circuit|Appeals|Tape|Thumb|Optical|Root|Square|Full|Easy|Best|Right|Other|Same|Only|Milky|Long|First|Second|Next|Last|New|Test|Car|Theme|Data)\b \w+$")
NO_NUMBER = re.compile(r"\b(?:[Tt]able|[Ff]ig(?:ure)?|[Ss]ection|[Cc]hapter|[Vv]ersion|[Ss]tep|[Pp]age|[Rr]elease|[Pp]art|[Ll]ine|[Vv]ol|[Nn]o|[Ii]ssue|[Tt]op|[Aa]bout|[Ee]xample|RFC|ISO|IEEE|Windows|Python|Java)\.? $")


def find(text):
    """Yields (start, end, "STREET_ADDRESS", score) for the addresses in a text. The lines of one may lie below each other."""
    if not DIGIT.search(text):
        return
    for hits, expressions in HITS if text.isascii() else HITS + ELSEWHERE:
        for start, end in regions(hits(text), len(text)):
            for expression in expressions:
                for a in expression.finditer(text, start, end):
                    at = a.start("street") if expression is CUED else a.start()
                    if good(text, a, at):
                        yield at, at + len(text[at : a.end()].rstrip(" ,.;:-\n\t")), "STREET_ADDRESS", 0.8


def regions(hits, length):
    """Yields what to search around places, each part of a text once."""
    start = end = 0
    for m in hits:
        if m.start() - BACK > end:
            if end:
                yield start, end
            start = max(end, m.start() - BACK)
        end = min(length, m.end() + AHEAD)
    if end:
        yield start, end


DIGIT = re.compile(r"\d")
YEAR = re.compile(r"(?:19|20)\d\d,")
OF_A_STREET = re.compile(r",|\D\d+$")


def good(text, a, at):
    """Reports whether a match that begins at a place is an address by what is around it."""
    before = text[max(0, at - 48) : at]
    if before and (before[-1].isalnum() or before[-1] in "_.$#%@=/\\+*") and not before.endswith("\\n") or NO_NUMBER.search(before):
        return False
    groups = a.groupdict()
    if YEAR.match(text, at):
        return False
    if a.re is CUED:
        return bool(groups["tail"]) or OF_A_STREET.search(a["street"]) is not None
    if a.re is UNITED:
        return DIGIT.search(a.group()[:3]) is not None or bool(groups["tail"])
    street = a.group()[: a.start("tail") - a.start()] if groups.get("tail") is not None else ""
    if groups.get("unsure") is None:
        return groups.get("sure") is None or not NO_STREET.search(street) or bool(groups["tail"])
    return not NO_STREET.search(street) and (bool(groups["tail"]) or ADDRESSED.search(before) is not None)


# Accounts that are of no person.
SERVICES = set("""
nodejs nodeuser node_modules myself gopher root user users admin administrator app apps node ubuntu debian ec2-user vagrant runner runneradmin jovyan vscode codespace circleci travis
jenkins gitlab git github build builder buildbot ci deploy test tests tester dev developer guest public shared default home www www-data
nginx apache mysql postgres redis docker podman coder sandbox workspace project projects src data linuxbrew nobody daemon nixbld nix oracle
hadoop spark airflow celery username yourname your_name your-name yourusername youruser you me myuser my_user name foo bar baz example
someone somebody alice bob jane john jdoe johndoe pi kali centos fedora arch alpine opc azureuser cloud-user appuser nonroot gradle
""".split())
ACCOUNT = re.compile(r"(?:/(?:Users|home)/|:(?:\\{1,2}|/)(?:Users|Documents and Settings)(?:\\{1,2}|/)|linkedin\.com/in/)([A-Za-z][\w.-]{1,30}[A-Za-z0-9])(?=[/\\\s\"':;,)\]>?#]|$)")
PROMPT = re.compile(r"(?m)^(?:\([\w.-]{1,20}\) )?([a-z][\w.-]{1,30})@[\w.-]{1,40}(?: |:)[~/][^\s$%#]{0,80} ?[$%#] ")


def accounts(text):
    """Yields (start, end, "USERNAME", score) for names of accounts: home folders, prompts of shells, profiles of LinkedIn."""
    for expression in (ACCOUNT, PROMPT):
        for m in expression.finditer(text):
            if m[1].lower() not in SERVICES and (m.start() == 0 or text[m.start()] == ":" or not text[m.start() - 1].isalnum()):
                yield m.start(1), m.end(1), "USERNAME", 0.8
