// Found by feeding millions of probe lines to CoreNLP 3.4.1 and reading what came out; none of its code is here.
// The order of two rules matters where both can match the same length.
#include "ptb/rules.hpp"

#include <iterator>

#include "ptb/characters.hpp"

namespace kataribe::ptb {
namespace {

template <std::size_t N>
CodeSet set_of(const CodeRange (&ranges)[N]) {
  return CodeSet(std::begin(ranges), std::end(ranges));
}

Rule token(std::string_view pattern, Edit edit = Edit::kKeep) { return {pattern, edit}; }

Rule before(std::string_view pattern, std::string_view ahead, int ahead_size, Edit edit = Edit::kKeep) {
  return {pattern, edit, ahead, ahead_size};
}

Rule replaced(std::string_view pattern, std::string_view text) { return {pattern, Edit::kReplace, {}, 0, text}; }

}  // namespace

const Names& names() {
  static const Names kNames{
      .sets =
          {
              {"letter", set_of(kLetters)},
              {"mark", set_of(kMarks)},
              {"digit", set_of(kDigits)},
              {"symbol", set_of(kSymbols)},
              {"beyond", {{0x10000, kLastCode}}},
          },
      .patterns =
          {
              // what separates tokens, and what separates them in look-aheads
              {"blank", R"([ \t\u00a0\u2000-\u200a\u3000])"},
              {"gap", R"([ \t\n\u0085\u00a0\u2000-\u200a\u3000])"},

              // characters: letters, alphanumerics, those of words joined by hyphens, the ASCII ones, digits
              {"accented", R"(&[AEIOUaeiou](?i:acute|grave|uml);)"},
              {"L", R"(([A-Za-z{letter}{mark}\u00ad]|{accented}))"},
              {"A", R"(([A-Za-z0-9{letter}{mark}{digit}\u00ad]|{accented}))"},
              {"J", R"([A-Za-z0-9{letter}{digit}])"},
              {"Z", R"([A-Za-z0-9])"},
              {"D", R"([0-9{digit}])"},

              // apostrophes
              {"apostrophe", R"((['\u0092\u2019]|&(?i:apos);))"},
              {"tick", R"((['`\u0091\u0092\u2018\u2019]|&(?i:apos);))"},
              {"clitic", R"({apostrophe}(?i:[msd]|re|ve|ll))"},
              {"quote", R"([`\u0091-\u0094\u00ab\u00bb\u2018-\u201f\u2039\u203a])"},

              // words
              {"word", R"({L}{A}*)"},
              {"run_on", R"({word}([.!?]{word})+)"},
              {"elided", R"(((?i:[dlo]){tick}{J})?{J}+)"},
              {"joined", R"({elided}([-_\u058a\u2010\u2011]{elided})*)"},
              {"acronym", R"([A-Za-z]\.([A-Za-z]\.)+)"},
              {"hyphenated", R"({Z}[A-Za-z0-9.,\u00ad]*(-([A-Za-z0-9\u00ad]+|{acronym}))+)"},
              {"capitals", R"([A-Z]+(([&+]|&(?i:amp);)[A-Z]+)+)"},
              {"slash_part", R"({Z}+(-[A-Za-z]+){0,2})"},
              {"not_ending_in_n", R"([A-Za-z\u00ad]*[A-MO-Za-mo-z]\u00ad*)"},

              // abbreviations: of what ends a phrase, of what begins one, and those where the case of a letter counts
              {"closing",
               "al|ala|apr|ariz|assn|aug|bhd|bldg|blvd|bros|calif|co|colo|conn|corp|cos|ct|dak|dec|esq|est|etc|ext|"
               "feb|fla|fri|ga|inc|ind|intl|jan|jr|jul|jun|kan|kans|ky|ltd|mar|md|mich|minn|mo|mon|mont|neb|nev|nov|"
               "oct|okla|penn|ph\\.d|plc|rd|rt|sep|sept|seq|sq|sr|sys|tel|tenn|thu|thurs|"
               "tue|tues|univ|va|vt|wed|wis|wisc|wyo"},
              {"opening",
               "adj|adm|adv|alex|assoc|asst|atty|attys|ave|brig|capt|cf|cie|cmdr|col|comdr|cpl|dept|det|dr|drs|elec|"
               "ens|ft|gen|gov|govs|hon|insp|invt|jos|lieut|lt|maj|messrs|mlle|mme|mr|mrs|ms|msgr|mt|natl|pfc|ph|"
               "pres|prof|profs|pvt|rep|reps|rev|sen|sens|sfc|sgt|spc|st|ste|supt|supts|treas|vs|wm"},
              {"closing_cased",
               "A(?i:rk|z)|D(?i:el)|I(?i:ll)|L(?i:a)|M(?i:ass|iss)|O(?i:re)|P(?i:a)|T(?i:ex)|W(?i:ash)|"
               "(?i:pp?t)[ey](?i:s?)"},
              {"opening_cased", "(?i:m)[ft](?i:g)"},
              {"numbered", "art|ca|fig|figs|no|nos|op|pp|prop"},
              {"sentence_opener",
               "A(?i:|bout|ccording|dditionally|fter|n|s|t)|B(?i:ut)|E(?i:arlier)|H(?i:e|er|ere|owever)|I(?i:f|n|t)|"
               "L(?i:ast)|M(?i:any|ore)|M(?i:[rs])\\.|N(?i:ow)|O(?i:nce|ne|ther|ur)|S(?i:he|ince|o|ome|uch)|"
               "T(?i:hat|he|heir|hen|here|hese|hey|his)|W(?i:e|hat|hen|hile)|Y(?i:et|ou)"},
              {"file_ending",
               "c|h|x|gz|pl|ps|py|bat|bmp|cgi|cpp|dll|doc|exe|gif|htm|jar|jpg|mov|pdf|php|png|ppt|sql|tar|txt|wav|"
               "xml|zip|docx|html|java|jpeg|mp3|class"},

              // addresses; two characters are asked for where {beyond} stands, and the tool counts UTF-16 units
              {"url_last", R"([^ \t\n"<>|()\{}.!?,\-])"},
              {"path", R"(/([^ \t\n"<>|()]+{url_last}|{beyond}))"},
              {"host_part", R"([^\t\n !"$'(),-`\{|}]+)"},
              {"www_part", R"([^ \t\n"<>|()\{}.!?,]+)"},
              {"mail_part", R"([^ \t\n\u00a0"<>|()\{}.]+)"},

              // markup
              {"tag_name", R"([A-Za-z][A-Za-z0-9_:.\-]*)"},
              {"attribute", R"({tag_name}( *= *("[^"]*"|'[^']*'))?)"},
              {"tag", R"((<{tag_name}( +{attribute})* */? *>|</{tag_name} *>|<[!?][A-Za-z\-][^>\n]*>))"},

              // smileys
              {"eye", R"([\^x=~<>'\-])"},
          },
  };
  return kNames;
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules{
      token(R"(({blank}|&(?i:nbsp);)+)", Edit::kDrop),

      // What stands before a clitic, or is half of a contraction.
      before(R"({word}|{run_on})", R"(['\u0092\u2019](?i:[msd]))", 2, Edit::kWord),
      before(R"({word}|{run_on})", R"(['\u0092\u2019](?i:re|ve|ll))", 3, Edit::kWord),
      before(R"({word}|{run_on})", R"(&(?i:apos);(?i:[msd]))", 7, Edit::kWord),
      before(R"({word}|{run_on})", R"(&(?i:apos);(?i:re|ve|ll))", 8, Edit::kWord),
      before(R"((?i:can))", R"((?i:not))", 3),
      before(R"((?i:gon|wan))", R"((?i:na))", 2),
      before(R"((?i:got))", R"((?i:ta))", 2),
      before(R"((?i:gim|lem))", R"((?i:me))", 2),
      before(R"('(?i:t))", R"((?i:is))", 2),
      before(R"('(?i:t))", R"((?i:was))", 3),
      before(R"({not_ending_in_n})", R"((?i:n['`\u0091\u0092\u2018\u2019]t))", 3, Edit::kWord),
      before(R"({not_ending_in_n})", R"((?i:n&apos;t))", 8, Edit::kWord),

      // Clitics. A straight apostrophe before a letter and something more opens a quotation.
      token(R"((?i:n{tick}t))", Edit::kClitic),
      token(R"((?i:n{tick}t)[A-Za-z{letter}]+)"),
      before(R"({clitic})", R"([^A-Za-z])", 1, Edit::kClitic),
      token(R"([\u0092\u2019](?i:[msd]|re|ve|ll))", Edit::kClitic),
      token(R"({apostrophe}(?i:em|til|till|cause|n{apostrophe}|n))"),
      before(R"(')", R"([A-Za-z][^ \t\n\u00a0])", 2),
      token(R"({clitic})", Edit::kClitic),

      // Other apostrophes that belong to a word.
      before(R"({apostrophe}[0-9]{2})", R"({gap})", 1),
      token(R"({apostrophe}[2-9]0(?i:s))"),
      token(R"((?i:ol|somethin|dunkin|d|l|j){apostrophe})"),
      before(R"((?i:y){apostrophe})", R"([A-Za-z{letter}])", 1),
      token(R"([nA-HJ-XZ]{tick}[A-Za-z{letter}]{2,})"),
      token(R"([A-Za-z{letter}]+(?i:[aeiouy]){tick}[aeiouA-Z][A-Za-z{letter}]*)"),
      token(R"((?i:c{apostrophe}est|cap{apostrophe}n|c'mon|e'er|ev'ry|li'l|nat'l|nor'easter|o{tick}o|s'mores))"),

      // Words.
      token(R"({word}|{run_on}|{joined})", Edit::kWord),
      before(R"(({word}|{run_on}|{joined}|{hyphenated}|{capitals})\.)", R"([,;:\u3001])", 1, Edit::kWord),
      token(R"((<|&(?i:lt);)?{Z}({mail_part}|\.)*@({mail_part}\.)*{mail_part}(>|&(?i:gt);)?)"),

      // What keeps its full stop.
      before(R"(((?i:{closing})|{closing_cased})\.)", R"(([^\n]|\n){2})", 2),
      token(R"(((?i:{closing}|{opening})|{closing_cased}|{opening_cased})\.)"),
      before(R"((?i:pt[ey])\.)", R"({gap}(?i:ltd))", 4),
      before(R"((?i:{numbered})\.)", R"({D})", 1),
      before(R"((?i:{numbered})\.)", R"({gap}{D})", 2),
      token(R"({acronym}|[A-Za-z]\.)"),
      token(R"([A-Za-z]\.{gap}+({sentence_opener}|{tag}){gap})", Edit::kFirstLetter),

      // Words with other characters inside.
      token(R"({hyphenated}|{capitals})", Edit::kWord),
      token(R"({slash_part}(\\?/{slash_part}){1,2})"),
      before(R"(({A}+\.)+(?i:{file_ending}))", R"([ \t\n\u0085\u00a0\u2000-\u200a\u3000.,!?])", 1),
      token(R"((?i:c\+\+|[cf]#))"),
      token(R"((?i:pro|anti)-)"),
      before(R"((?i:non-u\.s))", R"({gap})", 1),

      // Numbers.
      token(R"([-+]?[.,:\u00ad\u066b\u066c]?{D}+([.,:\u00ad\u066b\u066c]{D}+)*)", Edit::kWord),
      token(R"(({D}{1,4}[- \u00a0])?{D}{1,4}(\\?/|\u2044){D}{1,4})", Edit::kNoBreak),
      token(R"({D}{1,2}[-/]{D}{1,2}[-/]{D}{2,4})"),
      token(R"((\([0-9]{2,3}\)[ \u00a0]?|\+{0,2}([0-9]{2,4}[- \u00a0])?[0-9]{2,4}[- \u00a0]))"
            R"([0-9]{3,4}[- \u00a0]?[0-9]{3,5})",
            Edit::kNoBreakRoundBrackets),
      token(R"([A-Z]*\$)"),

      // The Web.
      token(R"((?i:https?)://([^ \t\n"<>|()\{}]+{url_last}|{beyond}))"),
      token(R"(({host_part}\.)+(?i:com|net|org|edu){path}?)"),
      token(R"((?i:www)\.({www_part}\.)+[A-Za-z]{2,4}{path}?)"),
      token(R"(@[A-Za-z_][A-Za-z0-9_]*|#{L}+)"),
      token(R"({tag})", Edit::kNoBreak),
      replaced(R"(&(?i:lt);)", "<"),
      replaced(R"(&(?i:gt);)", ">"),
      replaced(R"(&(?i:amp);)", "&"),
      replaced(R"(&quot;)", "''"),
      replaced(R"(&apos;)", "'"),
      token(R"(&(?i:quot|apos|[oc]dq|ht|lr|q[clr]|tl|ur|#[0-9]+);)"),

      // Smileys.
      before(R"([<>]?[:;=][-o*']?[()DOPdp\[\]\{\\@|])", R"([^A-Za-z0-9])", 1, Edit::kRoundBrackets),
      token(R"({eye}_{eye}|\(({eye}[_.]?{eye}|[\^x=~<>']-[\^x=~<>'`])\))", Edit::kRoundBrackets),

      // Punctuation and symbols.
      token(R"([!?]+|\*+|(\\\*)+|_+|#+|@+|<<|>>|-{5,}|[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+|[\u2080-\u2089]+)"),
      replaced(R"(-{2,4}|[\u0096\u0097\u2013-\u2015]|&(?i:mdash|ndash|md);)", "--"),
      replaced(R"(\.{3,5}|\.([ \u00a0]\.){2,4}|[\u0085\u2026])", "..."),
      replaced(R"(\u00a2)", "cents"),
      replaced(R"(\u00a3)", "#"),
      replaced(R"([\u0080\u00a4\u20a0\u20ac])", "$"),
      replaced(R"(\u00bc)", "1/4"),
      replaced(R"(\u00bd)", "1/2"),
      replaced(R"(\u00be)", "3/4"),
      replaced(R"(\u2153)", "1/3"),
      replaced(R"(\u2154)", "2/3"),
      token(R"(-(?i:[lr][rsc]b)-)"),
      replaced(R"(\()", "-lrb-"),
      replaced(R"(\))", "-rrb-"),
      replaced(R"(\[)", "-lsb-"),
      replaced(R"(])", "-rsb-"),
      replaced(R"(\{)", "-lcb-"),
      replaced(R"(})", "-rcb-"),
      replaced(R"(")", "''"),
      token(R"({quote}{1,2}|'')", Edit::kQuotes),
      token(R"([!-~{symbol}])"),
  };
  return kRules;
}

}  // namespace kataribe::ptb
