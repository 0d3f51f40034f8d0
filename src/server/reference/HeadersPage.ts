import type { Description } from "./Description.ts"
import type { Page } from "./PageLayout.ts"
import type { Member, MemberReader } from "./SchemaMembers.ts"
import { pages, type PageUrls } from "./PageUrls.ts"

const member = (
  name: string,
  { description, schema = {} }: { readonly description?: string; readonly schema?: object }
): Member => ({
  id: name.toLowerCase(),
  path: name,
  schema: { ...schema, description },
  // The operations list their headers.
  isRequired: false
})

/** Request headers, and response headers that are not also request headers. */
export const headersOf = (description: Description) => {
  const sent = description.requestHeaders.map((each) => member(each["name"], each))
  const taken = new Set(sent.map(({ id }) => id))
  const received = description.responseHeaders.map(([name, each]) => member(name, each))
  return { sent, received: received.filter(({ id }) => !taken.has(id)) }
}

/** `/docs/headers`: the headers of requests and responses. */
export const headersPage = (description: Description, places: PageUrls, members: MemberReader): Page => {
  const { received, sent } = headersOf(description)
  return {
    slug: pages.headers,
    title: "Headers",
    contents: [
      ["requests", "Request headers"],
      ["responses", "Response headers"]
    ],
    main: `<h1>Headers</h1>
<h2 id="requests"><a href="#requests">Request headers</a></h2><p>All are optional. <code>Authorization</code> is described in the <a href="${places.page()}#conventions">overview</a>.</p>${members.list(sent, { isSent: true })}
<h2 id="responses"><a href="#responses">Response headers</a></h2>${members.list(received, { isSent: true })}`
  }
}
