import { Description, type Json } from "./Description.ts"
import { entriesOf } from "./SearchEntries.ts"
import { PageLayout, type Page } from "./PageLayout.ts"
import { guidesOf } from "./Guide.ts"
import { headersPage } from "./HeadersPage.ts"
import { markdownPages } from "./MarkdownPages.ts"
import { MemberReader } from "./SchemaMembers.ts"
import { OperationArticles } from "./OperationArticle.ts"
import { overviewPage } from "./OverviewPage.ts"
import { pages, PageUrls } from "./PageUrls.ts"
import { problemsPage } from "./ProblemsPage.ts"
import { resourcePage } from "./ResourcePage.ts"
import { SchemaArticles, schemasPage } from "./SchemaArticle.ts"
import type { Entry } from "./SearchEntryIndex.ts"
import { searchPage } from "./SearchResults.ts"
import { SchemaShapes } from "./SchemaShape.ts"
import { TypeText } from "./TypeText.ts"
import { webhooksPage } from "./WebhooksPage.ts"

/** The API reference of an OpenAPI document: overview, guides, a page for each resource, and entries for the search. */
export class Reference {
  readonly #frame: PageLayout
  readonly #bySlug: ReadonlyMap<string, () => Page>
  readonly entries: () => ReadonlyArray<Entry>
  /** The files of Markdown by their names. */
  readonly markdown: () => ReadonlyMap<string, string>

  constructor(document: Json) {
    const description = new Description(document)
    const places = new PageUrls(description)
    const shapes = new SchemaShapes(description.schemas)
    const types = new TypeText(shapes, places)
    const members = new MemberReader(types, places)
    const articles = new OperationArticles(description, places, types, members)
    const schemas = new SchemaArticles(description, types, members)
    const guides = guidesOf(places)
    const parts = { articles, description, members, places, schemas, shapes, types }
    this.#frame = new PageLayout(description, places, guides)
    this.entries = () => entriesOf({ ...parts, guides })
    this.markdown = () => markdownPages(description, places, guides)
    this.#bySlug = new Map<string, () => Page>([
      ["", () => overviewPage(description, places, guides)],
      ...guides.map((guide) => [guide.slug, () => guide.page] as const),
      ...description.tags.map((tag) => [tag.slug, () => resourcePage(tag, parts)] as const),
      [pages.problems, () => problemsPage(description, parts)],
      [pages.headers, () => headersPage(description, places, members)],
      [pages.webhooks, () => webhooksPage(description, parts)],
      [pages.schemas, () => schemasPage(description, parts)]
    ])
  }

  /** Returns a page by its slug. */
  page(slug: string): string {
    return this.#frame.html(this.#bySlug.get(slug)!())
  }

  /** Returns all pages by their slugs. */
  pages(): ReadonlyMap<string, string> {
    return new Map([...this.#bySlug.keys()].map((slug) => [slug, this.page(slug)]))
  }

  /** Returns the page of search results, with marks for the query and the results. */
  searchPage(): string {
    return this.#frame.html(searchPage)
  }
}
