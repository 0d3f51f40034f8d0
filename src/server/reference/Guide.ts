import { posix } from "node:path"
import { slugOf } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import { guideFiles, guideSource } from "./GuideFiles.ts"
import { markdown } from "./GuideMarkdown.ts"
import type { PageUrls } from "./PageUrls.ts"

export interface Section {
  readonly id: string
  readonly title: string
  /** Its prose, for the search index. */
  readonly text: string
}

/** The address of the server in the sources of guides: the default address. */
const written = "http://127.0.0.1:4000"

/** A guide from a Markdown file of `docs/`, with ids of headings, links into `/docs`, and the server's address. */
export class Guide {
  readonly slug: string
  readonly title: string
  /** The first paragraph. */
  readonly lead: string
  readonly sections: ReadonlyArray<Section>
  /** Its source, with links to the Markdown of other guides. */
  readonly markdown: string
  readonly #html: string

  constructor({ file, slug }: (typeof guideFiles)[number], places: PageUrls) {
    this.slug = slug
    const source = guideSource(file).replaceAll(written, places.publicUrl)
    const tokens = markdown.parse(source, {})
    const sections: Array<{ id: string; title: string; text: string }> = []
    let title = ""
    let lead = ""
    for (const [index, token] of tokens.entries()) {
      const { content } = tokens[index + 1] ?? { content: "" }
      if (token.type === "heading_open") {
        const heading = content.replaceAll("`", "")
        if (token.tag === "h1") title = heading
        else {
          token.attrSet("id", slugOf(content))
          sections.push({ id: slugOf(content), title: heading, text: "" })
        }
      } else if (token.type === "inline") {
        const section = sections.at(-1)
        if (tokens[index - 1]?.type === "paragraph_open" && lead === "") lead = token.content
        if (tokens[index - 1]?.type !== "heading_open" && section !== undefined) section.text += `${token.content} `
        for (const each of token.children ?? []) {
          const href = each.type === "link_open" ? each.attrGet("href") : null
          if (typeof href === "string") each.attrSet("href", linkOf(href, file, places))
        }
      }
    }
    this.title = title
    this.lead = lead
    this.sections = sections
    this.markdown = source.replaceAll(/\]\(([^()\s]+)\)/g, (link, href: string) => {
      const guide = guideAt(href, file)
      if (guide !== undefined) return `](${places.publicUrl}/docs/${guide.slug}.md${guide.anchor})`
      return href.startsWith("/docs") ? `](${places.publicUrl}${href})` : link
    })
    this.#html = markdown.renderer
      .render(tokens, markdown.options, {})
      .replaceAll("<pre><code", '<pre tabindex="0"><code')
  }

  get page(): Page {
    return {
      slug: this.slug,
      title: this.title,
      contents: this.sections.map(({ id, title }) => [id, title]),
      main: `<div class="guide">${this.#html}</div>`
    }
  }
}

/** The guide that a link in the file of a guide leads to, and the place in it; undefined for other links. */
const guideAt = (href: string, file: string) => {
  const [path, anchor] = href.split("#", 2) as [string, string?]
  const target = posix.join(posix.dirname(file), path)
  const guide = guideFiles.find((each) => each.file === target)
  return guide && { slug: guide.slug, anchor: anchor === undefined ? "" : `#${anchor}` }
}

/** Returns the address for a link to the file of a guide or into `/docs`. Other links are not changed. */
const linkOf = (href: string, file: string, places: PageUrls): string => {
  if (href.startsWith("/docs")) return places.outside(href)
  const guide = guideAt(href, file)
  return guide === undefined ? href : places.page(guide.slug) + guide.anchor
}

/** All guides, in the order of the navigation. */
export const guidesOf = (places: PageUrls): ReadonlyArray<Guide> => guideFiles.map((each) => new Guide(each, places))
