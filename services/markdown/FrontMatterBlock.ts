/** The front matter at the beginning of a text: YAML between lines of three hyphens, or TOML between three plus signs. */
export interface FrontMatterBlock {
  readonly language: "yaml" | "toml"
  readonly content: string
  /** The position where the text begins. */
  readonly end: number
}

const toml = /^\+\+\+[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?\+\+\+[ \t]*(?:\r?\n|$)/
const yaml = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** Maximum characters; longer blocks are text. */
const longest = 64 * 1024

/** The block of a text; undefined without front matter. */
export const frontMatterBlockOf = (text: string): FrontMatterBlock | undefined => {
  const language = text.startsWith("---") ? "yaml" : text.startsWith("+++") ? "toml" : undefined
  if (language === undefined) return undefined
  const found = (language === "yaml" ? yaml : toml).exec(text.slice(0, longest))
  return found === null ? undefined : { language, content: found[1] ?? "", end: found[0].length }
}
