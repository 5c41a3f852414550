package instruction

import "github.com/sluicehq/sluice/plugins/modelspec/notation"

// The words of clauses that demand a format.
const (
	lead = `(?i)^(?:(?:please|now|note|remember|instead|therefore|actually|from (?:now|here|this point) on|going forward|henceforth|make sure|be sure|` +
		`ensure|it is (?:important|essential|crucial)|i want you|your (?:job|task|role) is|that|to) )*`
	assistant = `(?:you|the (?:assistant|model|ai)|you are an? (?:[\w-]+ ){0,2}(?:assistant|chatbot|bot|agent|model|ai|tutor|expert) (?:that|who|which))`
	adverb    = `(?:only|always|exclusively|strictly|solely)`
	modals    = `(?:(?:must|shall|should|ought|may|can|will|do|does|needs?|ha(?:ve|s)|to|be|are|is|required|obliged|allowed|permitted|expected|` + adverb + `) )*`
	not       = `(?:never|not|cannot|(?:do|does|must|may|ca|wo|should|sha|are|is)n['’]t|forbidden to|prohibited from|avoid|refrain from|` +
		`it is (?:forbidden|prohibited|not allowed) to|under no circumstances (?:should|may|must|can|shall) you)(?:,? (?:ever|under any circumstances),?)?`
	answers = `(?:answers?|responses?|repl(?:y|ies)|outputs?|messages?)`
	parties = `(?:users?|clients?|customers?|callers?|developers?|apis?|servers?|services?)`
	toUser  = `(?:(?:to )?(?:the )?users?|(?:to )?(?:me|them))`
	in      = `(?:in|as|with|using) (?:(?:only|the|an?|` + sound + `) )*`
	sound   = `(?:syntactically )?(?:valid|raw|plain|pure|strict|proper|correct|well-formed|compact|minified)`
	slug    = "`[A-Za-z0-9_:-]+`"
	more    = `(?:` + kind + `?(?:,| or| and|, or|, and| nor|/) ?(?:(?:in|as|with) )?(?:(?:the|an?) )?` + slug + `)*`
	spans   = `(` + slug + more + `)`
	verb    = `(?:respond|replie|reply|answer|output|(write|return|give|produce|generate|provide|format|present))(s|ing)?`
	// ours matches the answers of the assistant, theirs those that are its only where they must be something.
	ours   = `(?:(?:all |each |every |any |none )?(?:of )?your (?:\w+ )?` + answers + `)`
	theirs = `(?:(?:all |each |every |any |no )?(?:the )?(?:answers?|responses?|repl(?:y|ies)))`
	duty   = `(?:must|shall|should|(?:is|are) to\b|needs? to|ha(?:s|ve) to|ought to|may)`
	// allowed matches what may be used, and unused what may not.
	allowed = `(?:allowed|permitted|acceptable|(?:to be )?used|to use)`
	unused  = `(?:(?:(?:(?:must|shall|should|may|can|is|are|will)(?: not|n['’]t| never)|cannot)(?: ever)?(?: be)? ` + allowed + `)|` +
		`(?:is|are|will be) (?:\w+ly )?(?:forbidden|prohibited|banned|disallowed|rejected))`
	kind = `(?: (?:` + answers + ` )?formats?)`
)

var (
	// alone matches what may stand between a verb and its format; object matches answers there, and content what they consist of, as
	// "with only the form code" does, unless a format may belong to it, as in "about files in `json`".
	alone  = notation.Pattern(`(?i)^(?: (?:` + adverb + `|just|back|\w+ly|` + toUser + `))*$`)
	object = notation.Pattern(`(?i)^(?: (?:with|just|all|any|of|your|the|an?|final|whole|entire|` + adverb + `|` + toUser + `))*` +
		` (?:` + answers + `|everything|anything)(?: (?:` + adverb + `|back|` + toUser + `))*$`)
	content = notation.Pattern(`(?i)^(?: ` + adverb + `)* with `)
	belongs = notation.Pattern(`(?i)\b(?:about|on|of|from|regarding|concerning|questions?|queries|which|that|who|whose|what|how|whether|and|or|but)\b`)

	demands = notation.Pattern(`(?i)\b(?:must|shall|(?:is|are) to|` + adverb + `)\b`)
	// ordinal finds answers that are one of several.
	ordinal = notation.Pattern(`(?i)\b(?:first|second|third|next|last|initial|opening|other|previous)\b`)
	asks    = notation.Pattern(`(?i)\b(?:should|ought|needs?|ha(?:ve|s) to|avoid)\b|shouldn['’]t`)
	// optional finds what need not be.
	optional = notation.Pattern(`(?i)\b(?:needs?|ha(?:ve|s)|required|obliged|expected)\b`)
	adverbs  = notation.Pattern(`(?i)\b` + adverb + `\b`)
	// joint finds a demand that holds for what "and" adds, and late one behind the format, as in "respond in `json` only".
	joint = notation.Pattern(`(?i)\b(?:must|shall|always)\b`)
	late  = notation.Pattern(`(?i)\b` + adverb + `\W*$`)
	// others matches the end of a clause that excludes other formats, as ", nothing else" and ", never in `markdown`" do.
	others = notation.Pattern(`(?i)[,(–—-]* *(?:and |but )?(?:(?:(?:in|with|use) )?(?:nothing else|no other` + kind + `?)|` +
		`(?:never|not)(?: in)? (?:anything|any other` + kind + `?)(?: else)?|(?:never|not)(?: ever)?(?: (?:in|as|with|using))?(?: (?:the|an?))? ` +
		slug + kind + `?|only (?:(?:in|with) )?` + slug + `)\W*$`)

	// conditional finds sentences that demand a format for a part of the answers, or tell of a demand, and negated those with a denial.
	conditional = notation.Pattern(`(?i)\b(?:if|when|whenever|where|while|unless|until|before|after|for|except|call|tools?|forget|` +
		`either|first|each|every|also|can use|may use|examples?|e\.g|i\.e)\b`)
	negated = notation.Pattern(`(?i)\b(?:no|none|not|never|avoid)\b|n['’]t\b`)
	purpose = notation.Pattern(`(?i)(?:^| )(?:for|in) (?:(?:all|each|every|any) )?(?:of )?(?:your |the )?` + answers + `\b`)

	// isFormat matches what may follow a format, unlike "field" in "the `json` field", and ends that nothing follows but a purpose or a
	// reason.
	isFormat = notation.Pattern(`(?i)^(?:$|[^\w ]| [^\w]| (?:` + answers + ` )?formats?\b| (?:syntax|code|markup)(?:$|[^\w ])| (?:and|or|with|without|so|because|since|` +
		`as|at|by|to|in|for|using|which|that|please|` + adverb + `)\b)`)
	ends = notation.Pattern(`(?i)^` + kind + `?(?:,? (?:at all times|at all|ever|under any circumstances|in any case|please|here|` + adverb + `|` + toUser + `))*` +
		`(?:,? (?:because|since|as (?:it|this|that|these|they|we|you|i|nothing|nobody|no|every)|so) .*|\W*)$`)
	inKind = notation.Pattern(`(?i)^` + kind + `\b`)

	// begins finds where clauses begin behind the first.
	begins = notation.Pattern(`(?:[:,]\s+|\n)(?:(?:and|but|so|then) )?| (?:and|but|so|then) `)
	// ofOthers matches sentences about somebody else, which a clause without a subject goes on with. toOthers finds whom a rule is for,
	// and retold what only tells of one.
	ofOthers = notation.Pattern(`(?i)^(?:the|an?|our|their|its|his|her|my|this|that|these|those|they|he|she|it|we|i|some|any|all|many|most|people|` + parties + `)\b`)
	toOthers = notation.Pattern(`(?i)\b(?:they|` + parties + `)\b`)
	retold   = notation.Pattern(`(?i)\b(?:says?|said|writes?|wrote|asks?|reads|states?|tells?|phrases?|sentences?|prompts?|examples?)\b`)
	itself   = notation.Pattern(`(?i)^` + assistant + `\b`)

	formatSpan = notation.Pattern("`[A-Za-z0-9_:-]+`")
)
