import { readFileSync } from "node:fs"
import { slugOf } from "./Description.ts"
import type { Page } from "./Frame.ts"
import { markdown } from "./Markdown.ts"
import { pages, type Places } from "./Places.ts"

/** The text itself, where scripts/build.ts has put it into the bundle. */
declare const SYNC_CLIENT_GUIDE: string | undefined

const source = (): string =>
  typeof SYNC_CLIENT_GUIDE === "string"
    ? SYNC_CLIENT_GUIDE
    : readFileSync(new URL("../../docs/sync-client.md", import.meta.url), "utf8")

export interface Section {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** The guide docs/sync-client.md, with an id on each heading; its links into `/docs` lead to where that is. */
export class Guide {
  readonly sections: ReadonlyArray<Section>
  private readonly html: string

  constructor(places: Places) {
    const tokens = markdown.parse(source(), {})
    const sections: Array<{ id: string; title: string; text: string }> = []
    for (const [index, token] of tokens.entries()) {
      const { content } = tokens[index + 1] ?? { content: "" }
      if (token.type === "heading_open" && token.tag !== "h1") {
        const id = slugOf(content)
        token.attrSet("id", id)
        sections.push({ id, title: content.replaceAll("`", ""), text: "" })
      } else if (token.type === "inline") {
        const section = sections.at(-1)
        if (section !== undefined && tokens[index - 1]?.type !== "heading_open") section.text += `${token.content} `
        for (const each of token.children ?? []) {
          const href = each.type === "link_open" ? each.attrGet("href") : null
          if (typeof href === "string" && href.startsWith("/docs")) each.attrSet("href", places.beside(href))
        }
      }
    }
    this.sections = sections
    this.html = markdown.renderer
      .render(tokens, markdown.options, {})
      .replaceAll("<pre><code", '<pre tabindex="0"><code')
  }

  get page(): Page {
    return {
      slug: pages.syncClient,
      title: "Write a sync client",
      contents: this.sections.map(({ id, title }) => [id, title]),
      main: `<div class="guide">${this.html}</div>`
    }
  }
}
