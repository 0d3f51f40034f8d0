import type { PhrasingContent, Text } from "mdast"
import { isScript } from "./ScriptLinks.ts"

/**
 * Addresses that stand in a text as they are. Escaped as text, they could neither be clicked nor copied: they are written
 * as literal links where GFM reads those, and in angle brackets elsewhere.
 */

// Letters of scripts that put no space between words end an address.
const sign = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{M}._~:/?#@!$&'()*+,;=%-`

/** An address with its scheme, one that begins with `www.`, or one of mail. */
const address = new RegExp(
  String.raw`(?<![A-Za-z0-9_@.+-])(?:[a-z][a-z0-9+.-]{1,30}:\/\/[${sign}[\]]+|www\.[a-z0-9][${sign}]*|` +
    String.raw`[a-z0-9][\w.+-]{0,63}@[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9][a-z0-9-]{0,62})+)`,
  "giu"
)

/** What ends a sentence, and no address. */
const ending = /(?:[?!.,:;*'"&\]]|&[a-z0-9]{1,30};)$/i

const count = (text: string, sign: string): number => text.split(sign).length - 1

/** An address without what belongs to the sentence around it. */
const bare = (text: string): string => {
  let url = text
  // More signs at the end than any sentence has are left to the address: each look costs the length of it.
  for (let turn = 0; turn < 20; turn++) {
    if (ending.test(url)) url = url.replace(ending, "")
    else if (url.endsWith(")") && count(url, ")") > count(url, "(")) url = url.slice(0, -1)
    else break
  }
  return url
}

const domain = /^(?:https?:\/\/|www\.)(?:[a-z0-9-]+\.)+[a-z0-9-]*[a-z0-9](?=$|[/?#:])/i
const plainMail = /^[a-z0-9.+-]+@[a-z0-9.-]*[a-z0-9]$/i

/** Whether GFM reads it as a link where it stands between white space. */
const isLiteral = (url: string): boolean =>
  (domain.test(url) && !/[()[\]*~]/.test(url) && !/[^\x21-\x7e]|[_-]$/.test(url)) || plainMail.test(url)

/** The same where text adjoins it. */
const linkOf = (url: string): PhrasingContent => {
  if (url.includes("://") || !/^www\./i.test(url)) return { type: "html", value: `<${url}>` }
  // Escaped only where it would mean something else.
  const isPlain = !/[*~`]|_(?![A-Za-z0-9])|(?<![A-Za-z0-9])_/.test(url)
  return { type: "link", url: `http://${url}`, children: [{ type: isPlain ? "html" : "text", value: url }] }
}

/** A text cut at its addresses; `isFirst` and `isLast` where the line begins and ends with it. */
const cut = ({ value }: Text, isFirst: boolean, isLast: boolean): Array<PhrasingContent> => {
  const made: Array<PhrasingContent> = []
  let at = 0
  for (const { 0: text, index } of value.matchAll(address)) {
    const url = bare(text)
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

/** A line of Markdown whose bare addresses stay usable. */
export const withAddresses = (nodes: ReadonlyArray<PhrasingContent>): Array<PhrasingContent> => within(nodes, true)
