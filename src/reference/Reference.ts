import { Description, type Json } from "./Description.ts"
import { entriesOf } from "./SearchEntries.ts"
import { Frame, type Page } from "./Frame.ts"
import { guidesOf } from "./Guide.ts"
import { headersPage } from "./HeadersPage.ts"
import { MemberReader } from "./SchemaMembers.ts"
import { OperationArticles } from "./OperationArticle.ts"
import { overviewPage } from "./OverviewPage.ts"
import { pages, Places } from "./Places.ts"
import { problemsPage } from "./ProblemsPage.ts"
import { resourcePage } from "./ResourcePage.ts"
import { SchemaArticles, schemasPage } from "./SchemaArticle.ts"
import { type Entry, SearchIndex } from "./SearchEntryIndex.ts"
import { searchPage } from "./SearchPage.ts"
import { Shapes } from "./Shape.ts"
import { TypeText } from "./TypeText.ts"
import { webhooksPage } from "./WebhooksPage.ts"

/** The API reference, made of the OpenAPI document: an overview, guides, a page for each resource, and a search over them. */
export class Reference {
  private readonly frame: Frame
  private readonly pages: ReadonlyMap<string, () => Page>
  private readonly entries: () => ReadonlyArray<Entry>
  private index: SearchIndex | undefined

  constructor(document: Json) {
    const description = new Description(document)
    const places = new Places(description)
    const shapes = new Shapes(description.schemas)
    const types = new TypeText(shapes, places)
    const members = new MemberReader(types, places)
    const articles = new OperationArticles(description, places, types, members)
    const schemas = new SchemaArticles(description, types, members)
    const guides = guidesOf(places)
    const parts = { articles, description, members, places, schemas, shapes, types }
    this.frame = new Frame(description, places, guides)
    this.entries = () => entriesOf({ ...parts, guides })
    this.pages = new Map<string, () => Page>([
      ["", () => overviewPage(description, places, guides)],
      ...guides.map((guide) => [guide.slug, () => guide.page] as const),
      ...description.tags.map((tag) => [tag.slug, () => resourcePage(tag, parts)] as const),
      [pages.problems, () => problemsPage(description, parts)],
      [pages.headers, () => headersPage(description, places, members)],
      [pages.webhooks, () => webhooksPage(description, parts)],
      [pages.schemas, () => schemasPage(description, parts)]
    ])
  }

  /** A page by its slug; undefined when there is no such page. */
  page(slug: string): string | undefined {
    const page = this.pages.get(slug)
    return page === undefined ? undefined : this.frame.html(page())
  }

  /** The page of what is found for a query. */
  found(query: string): string {
    this.index ??= new SearchIndex(this.entries())
    return this.frame.html(searchPage(query, this.index.find(query)))
  }
}
