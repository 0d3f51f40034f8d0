import { escapeHtml } from "../EscapeHtml.ts"
import type { Description } from "./Description.ts"
import { pages, type PageUrls } from "./PageUrls.ts"
import { style } from "./Style.ts"

export interface Page {
  /** The slug in `/docs/{slug}`: empty for the overview, undefined for search results. */
  readonly slug: string | undefined
  readonly title: string
  /** The table of contents: ids of headings, and their titles. */
  readonly contents?: ReadonlyArray<readonly [id: string, title: string]>
  readonly main: string
  /** The query of a search. */
  readonly query?: string
}

const contentsOf = ({ contents = [] }: Page): string =>
  contents.length === 0
    ? ""
    : `<ul>${contents.map(([id, title]) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join("")}</ul>`

/** The frame of all pages: navigation and search. */
export class PageLayout {
  readonly #description: Description
  readonly #places: PageUrls
  readonly #guides: ReadonlyArray<{ readonly slug: string; readonly title: string }>

  constructor(
    description: Description,
    places: PageUrls,
    guides: ReadonlyArray<{ readonly slug: string; readonly title: string }>
  ) {
    this.#description = description
    this.#places = places
    this.#guides = guides
  }

  #item(page: Page, slug: string, title: string): string {
    const isCurrent = slug === page.slug
    return `<li><a href="${this.#places.page(slug)}"${isCurrent ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a>${
      isCurrent ? contentsOf(page) : ""
    }</li>`
  }

  #navigation(page: Page): string {
    const group = (title: string, items: ReadonlyArray<string>) =>
      `<p class="group">${title}</p><ul>${items.join("")}</ul>`
    const resources = this.#description.tags.map(({ name, slug }) => this.#item(page, slug, name))
    return `<nav id="contents" popover aria-label="Contents">${group("Start", [
      this.#item(page, "", "Overview")
    ])}${group(
      "Guides",
      this.#guides.map(({ slug, title }) => this.#item(page, slug, title))
    )}${group("Resources", resources)}${group("More", [
      this.#item(page, pages.problems, "Problems"),
      this.#item(page, pages.headers, "Headers"),
      this.#item(page, pages.webhooks, "Webhook events"),
      this.#item(page, pages.schemas, "Schemas"),
      `<li><a href="${escapeHtml(new URL(this.#description.baseUrl).pathname)}/openapi.json">openapi.json</a></li>`
    ])}</nav>`
  }

  html(page: Page): string {
    const product = escapeHtml(this.#description.document["info"].title)
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · ${product} API</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="${this.#places.page()}">${product} <span>API</span></a>
<form role="search" action="${this.#places.page()}"><input type="search" name="q" aria-label="Search the reference" placeholder="Search the reference" maxlength="200" value="${escapeHtml(
      page.query ?? ""
    )}"><button>Search</button></form><button class="menu" type="button" popovertarget="contents">Contents</button></header>
${this.#navigation(page)}<main id="main">${
      // In narrow windows, the navigation covers the page and has only links to other pages.
      page.contents === undefined
        ? ""
        : `<details class="here"><summary>On this page</summary>${contentsOf(page)}</details>`
    }${page.main}</main></body></html>
`
  }
}
