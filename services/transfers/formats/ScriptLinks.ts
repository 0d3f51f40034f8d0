import type { Nodes, PhrasingContent, Root, RootContent } from "mdast"

/** Links that run a script when they are followed. Characters that browsers skip in a scheme are ignored (WHATWG). */

// oxlint-disable-next-line no-control-regex
const skipped = /[\0-\x20\x7f-\xa0\u00ad\u180e\u2028\u2029\ufeff\p{Cf}\p{Z}]+/gu
const running =
  /^(?:(?:javascript|vbscript|livescript|mocha|jar|view-source):|data:(?:text\/(?:html|xml|javascript)|application\/(?:xhtml\+xml|xml|javascript|ecmascript)|image\/svg\+xml)\b)/

/** Whether a link to it runs a script. */
export const isScript = (url: string): boolean =>
  running.test(url.slice(0, 2_000).replaceAll(skipped, "").toLowerCase())

/** Removes links that run scripts from a tree and keeps their text. Returns their addresses. */
export const removeScripts = (tree: Root): ReadonlyArray<string> => {
  const removed: Array<string> = []
  const words = (node: Nodes): ReadonlyArray<Nodes> => {
    if ("children" in node) node.children = node.children.flatMap(words) as Array<RootContent & PhrasingContent>
    // An image with a `data:` address is displayed, and runs nothing.
    const runs = node.type === "link" || (node.type === "image" && !/^\s*data:/i.test(node.url))
    if (!runs || !isScript(node.url)) return [node]
    removed.push(node.url)
    if (node.type === "link") return node.children
    return node.alt ? [{ type: "text", value: node.alt }] : []
  }
  words(tree)
  return removed
}
