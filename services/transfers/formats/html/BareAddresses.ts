import type { PhrasingContent, Text } from "mdast"
import { isScript } from "../ScriptLinks.ts"

/**
 * Bare addresses in a text. Escaped as text they could be neither clicked nor copied, so they are written as literal
 * links where GFM supports them, and in angle brackets elsewhere.
 */

const spaced = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{M}`
const signs = String.raw`${spaced}._~:/?#@!$&'()*+,;=%{}^\x60[\]\\-`
// Scripts without spaces between words continue after a host or a file name: one of their letters ends the address. A
// pipe between two addresses belongs to neither.
const more = String.raw`(?:[${signs}]|(?<!\.[a-z]{2,5})[\p{L}]|\|(?!\w+:\/\/|www\.))`

const label = String.raw`[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]{0,62}`
const mail = String.raw`[${spaced}][${spaced}\w.+'&-]{0,63}@${label}(?:\.${label})*?\.(?:[${spaced}][${spaced}_-]{0,62}|[\p{L}\p{M}]{1,62})`

/** An address with its scheme, one that begins with `www.`, or a mail address. */
const address = new RegExp(
  String.raw`(?<![${spaced}_@.+-])(?:[a-z][a-z0-9+.-]{1,30}:\/\/${more}+|www\.[\p{L}\p{N}]${more}*|${mail}(?!\.?[${spaced}@]))`,
  "giu"
)

/** Signs that end a sentence, not an address. */
const ending = /(?:[?!.,:;'"&|`\\]|&[a-z0-9]{1,30};)$/i

const count = (text: string, sign: string): number => text.split(sign).length - 1

const brackets: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }

/** An address without the signs that belong to the sentence around it; `before` is the sign in front of it. */
const bare = (text: string, before: string): string => {
  let url = text
  // A bound, because each turn costs the length of the address: no sentence ends with more signs.
  for (let turn = 0; turn < 20; turn++) {
    const last = url.at(-1) ?? ""
    const opening = brackets[last]
    if (ending.test(url)) url = url.replace(ending, "")
    else if (opening !== undefined && count(url, last) > count(url, opening)) url = url.slice(0, -1)
    else if (/[*_~]/.test(last) && last === before) url = url.slice(0, -1)
    else break
  }
  return url
}

const domain = /^(?:https?:\/\/|www\.)(?:[a-z0-9-]+\.)+[a-z0-9-]*[a-z0-9](?=$|[/?#:])/i
const literalMail = /^[a-z0-9.+-]+@[a-z0-9._-]*[a-z0-9]$/i
/** Mail addresses that CommonMark accepts in angle brackets. */
const bracketMail = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i

/** Whether GFM reads it as a link between white space; two percent signs would begin a comment. */
const isLiteral = (url: string): boolean =>
  (domain.test(url) && !/[()[\]*~{}|^`\\]|%%/.test(url) && !/[^\x21-\x7e]|[_-]$/.test(url)) || literalMail.test(url)

/**
 * Encodes a pipe, which would end the cell of a table, a backslash, which may escape something, and a percent sign that
 * begins no byte: no URL contains them (RFC 3986, section 2).
 */
const encoded = (url: string): string => url.replaceAll(/[|\\]|%(?![0-9a-f]{2})/gi, (sign) => encodeURIComponent(sign))

/** Whether it has no sign with a meaning in the label of a link in Markdown. */
const isPlain = (url: string): boolean => !/[()[\]*~{}|^`\\]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/u.test(url)

const labelled = (label: string, url: string): PhrasingContent => ({
  type: "link",
  url,
  children: [{ type: isPlain(label) ? "html" : "text", value: label }]
})

/** A link for an address next to text, or with signs that GFM does not read as part of a link. */
const linkOf = (url: string): PhrasingContent => {
  if (url.includes("://")) return { type: "html", value: `<${encoded(url)}>` }
  if (/^www\./i.test(url))
    return isPlain(url) ? labelled(url, `http://${url}`) : { type: "html", value: `<http://${encoded(url)}>` }
  return bracketMail.test(url) ? { type: "html", value: `<${url}>` } : labelled(url, `mailto:${encodeURI(url)}`)
}

/** Splits a text at its addresses; `isFirst` and `isLast`: the line begins or ends with the text. */
const cut = ({ value }: Text, isFirst: boolean, isLast: boolean): Array<PhrasingContent> => {
  const made: Array<PhrasingContent> = []
  let at = 0
  for (const { 0: text, index } of value.matchAll(address)) {
    const url = bare(text, value[index - 1] ?? "")
    const hasBody = /^[^:@]+:\/\/[^/]|^www\.[^.]+\.[^.]|@|^[a-z]+:\/\/\/./i.test(url)
    if (!hasBody || isScript(url)) continue
    if (index > at) made.push({ type: "text", value: value.slice(at, index) })
    at = index + url.length
    const isApart =
      (index === 0 ? isFirst : /[\s(]/.test(value[index - 1]!)) &&
      (at === value.length ? isLast : /^[).,:!?]*(?:\s|$)/.test(value.slice(at, at + 8)))
    made.push(isApart && isLiteral(url) ? { type: "html", value: url } : linkOf(url))
  }
  if (at < value.length) made.push({ type: "text", value: value.slice(at) })
  return made
}

const within = (nodes: ReadonlyArray<PhrasingContent>, isLine: boolean): Array<PhrasingContent> =>
  nodes.flatMap((node, index): Array<PhrasingContent> => {
    if (node.type === "text") return cut(node, isLine && index === 0, isLine && index === nodes.length - 1)
    if (node.type === "link" || node.type === "linkReference") return [node]
    return "children" in node ? [{ ...node, children: within(node.children, false) }] : [node]
  })

/** A line of Markdown whose bare addresses remain usable. */
export const withAddresses = (nodes: ReadonlyArray<PhrasingContent>): Array<PhrasingContent> => within(nodes, true)
