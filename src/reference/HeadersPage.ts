import type { Description } from "./Description.ts"
import type { Page } from "./Frame.ts"
import type { Member, MemberReader } from "./Members.ts"
import { pages } from "./Places.ts"

const member = (
  name: string,
  { description, schema = {} }: { readonly description?: string; readonly schema?: object }
): Member => ({
  id: name.toLowerCase(),
  path: name,
  schema: { ...schema, description },
  // Where a header stands is told by each operation.
  isRequired: false
})

/** Headers of requests, and those of answers that requests have not. */
export const headersOf = (description: Description) => {
  const sent = description.requestHeaders.map((each) => member(each["name"], each))
  const taken = new Set(sent.map(({ id }) => id))
  const answered = description.answerHeaders.map(([name, each]) => member(name, each))
  return { sent, answered: answered.filter(({ id }) => !taken.has(id)) }
}

/** `/docs/headers`: what requests and answers carry beside their bodies. */
export const headersPage = (description: Description, members: MemberReader): Page => {
  const { answered, sent } = headersOf(description)
  return {
    slug: pages.headers,
    title: "Headers",
    contents: [
      ["requests", "Of requests"],
      ["answers", "Of answers"]
    ],
    main: `<h1>Headers</h1>
<h2 id="requests"><a href="#requests">Of requests</a></h2><p>Beside <code>Authorization</code>, which almost every request carries, all of them can be left out.</p>${members.list(sent, { isSent: true })}
<h2 id="answers"><a href="#answers">Of answers</a></h2>${members.list(answered, { isSent: true })}`
  }
}
