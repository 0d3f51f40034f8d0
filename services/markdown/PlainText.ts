/** A line that begins or ends fenced code. */
const FENCE = /^ {0,3}(```+|~~~+).*(?:\n|$)/gm
/** Lines that are not shown: rules, the separator row of a table, definitions of links. */
const HIDDEN = /^ {0,3}(?:[-*_=] *){3,}$|^(?=.*-)[\s|:-]+$|^ {0,3}\[[^\]]+\]:\s/
/** The bar between two cells, but not the one in a wiki link. */
const CELL = /(?<!\\)\|(?![^[\]|\n]{1,500}\]\])|(?<=\\\\)\|/g
/** The syntax before the text of a line: marks of quotes, callouts, lists, tasks and headings. */
const LEAD =
  /^(?:\s*>)*\s*(?:\[!\w+\][-+]?(?=\s|$)\s*)?(?:(?:[-*+]|\d{1,9}[.)])(?=\s|$)\s*(?:\[[ xX]\]\s+)?)*(?:#{1,6}(?=\s|$)\s*)?/
/** HTML elements. Other names in angle brackets are text, such as `<file>` in a command. */
const ELEMENTS = `a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite
  code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1
  h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark meta meter nav
  noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script section select slot small source
  span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var
  video wbr`
const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

/** Syntax in the text of a line. The content of named groups is shown, tags separate words, and the rest is removed. */
const SIGN = new RegExp(
  [
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /(?<!`)(?<ticks>`+)(?!`)(?<code>.+?)(?<!`)\k<ticks>(?!`)/,
    /<(?<link>(?:https?|ftp|mailto):[^\s<>]+|[^\s<>@]{1,100}@[^\s<>]+)>/,
    new RegExp(String.raw`(?<tag><!--.*?-->|</?(?:${ELEMENTS.replace(/\s+/g, "|")})(?=[\s/>])[^<>]*>)`),
    new RegExp(`&(?<name>${Object.keys(CHARACTERS).join("|")});`),
    /&#(?<number>\d{1,7}|x[\da-f]{1,6});/,
    // The target of a wiki link before its alias, whose bar is escaped in a table. An embedded image has a size instead.
    /!\[\[(?<embedded>[^[\]|\n]{1,500}?)(?:\\?\|\d{1,4}(?:x\d{1,4})?)+(?=\]\])/,
    /!?\[\[[^[\]|\n]{1,500}?\\?\|(?=[^[\]\n]{1,500}\]\])/,
    // The end of a link, with its target.
    /\]\((?:[^()]|\([^()]*\))*\)|\]\[[^\]]*\]|\]\]?/,
    /!?\[\[?/,
    // An asterisk between spaces is text, and so is an underscore within a word.
    /(?<=\S)\*|\*(?=\S)|~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u
  ]
    .map(({ source }) => source)
    .join("|"),
  "gisu"
)

const characterOf = (number: string): string => {
  const code = Number(/^x/i.test(number) ? `0${number}` : number)
  const character = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ""
  return character.isWellFormed() ? character : ""
}

const withoutSigns = (text: string): string => {
  const lines = text.split("\n").filter((line) => !HIDDEN.test(line))
  const shown = lines.map((line) => (line.startsWith("|") ? line.replace(CELL, " ") : line.replace(LEAD, "")))
  return shown.join("\n").replace(SIGN, (...found) => {
    const { code, embedded, escaped, link, name, number, tag } = found.at(-1) as Readonly<
      Record<string, string | undefined>
    >
    if (tag !== undefined) return " "
    if (name !== undefined) return CHARACTERS[name.toLowerCase()]!
    return number === undefined ? (escaped ?? code ?? link ?? embedded ?? "") : characterOf(number)
  })
}

/** The fence of the code block that is open after another fence. */
const openAfter = (open: string | undefined, fence: string): string | undefined =>
  open === undefined ? fence : fence.startsWith(open) ? undefined : open

/**
 * A part of a Markdown text as readers see it, on one line. A part may begin anywhere, and one is read for each hit: a
 * Markdown parser takes ten times as long, and needs the whole text.
 */
export const plainText = (markdown: string, from: number, until: number): string => {
  let open: string | undefined
  for (const [, fence] of markdown.slice(0, from).matchAll(FENCE)) open = openAfter(open, fence!)
  let plain = ""
  // Text and fences alternate.
  for (const [index, part] of markdown.slice(from, until).split(FENCE).entries()) {
    if (index % 2 === 0) plain += ` ${open === undefined ? withoutSigns(part) : part}`
    else open = openAfter(open, part)
  }
  return plain.replace(/\s+/g, " ").trim()
}
