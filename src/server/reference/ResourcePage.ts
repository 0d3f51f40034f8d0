import { escapeHtml } from "../EscapeHtml.ts"
import type { Description, Tag } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import { paragraphs } from "./GuideMarkdown.ts"
import type { OperationArticles } from "./OperationArticle.ts"
import type { PageUrls } from "./PageUrls.ts"
import type { SchemaArticles } from "./SchemaArticle.ts"

/** `/docs/{resource}`: the operations of a resource, and the schemas that only it uses. */
export const resourcePage = (
  tag: Tag,
  {
    articles,
    description,
    places,
    schemas
  }: {
    readonly description: Description
    readonly places: PageUrls
    readonly articles: OperationArticles
    readonly schemas: SchemaArticles
  }
): Page => {
  const operations = description.operationsOf(tag)
  const own = places.schemasOn(tag.slug)
  return {
    slug: tag.slug,
    title: tag.name,
    contents: [
      ...operations.map(({ id, spec }) => [id, spec["summary"]] as const),
      ...own.map((name) => [`schema-${name}`, name] as const)
    ],
    main: `<h1>${escapeHtml(tag.name)}</h1><div class="lead">${paragraphs(tag.description)}</div>${operations
      .map((operation) => articles.html(operation))
      .join("")}${own.map((name) => schemas.html(name)).join("")}`
  }
}
