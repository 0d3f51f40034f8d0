import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { createHash } from "node:crypto"
import { siteFiles } from "../../reference/SitePaths.ts"
import { PublicUrl } from "../responses/Respond.ts"
import { SitePages } from "../responses/SitePages.ts"
import { StaticResponse } from "../responses/StaticResponse.ts"

/** How Markdown is served. */
export const markdownOptions = {
  contentType: "text/markdown; charset=utf-8",
  headers: { "x-content-type-options": "nosniff" }
}

const folder = "/.well-known/agent-skills"
const skillPath = `${folder}/sheaf/SKILL.md`

/** The index of skills (Agent Skills Discovery 0.2.0). The digest is that of the text at the address of this server. */
const indexOf = (skill: string, publicUrl: string): string => {
  const [, name, description] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill)!
  const digest = `sha256:${createHash("sha256").update(skill).digest("hex")}`
  return JSON.stringify({
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: [{ name, type: "skill-md", description, url: publicUrl + skillPath, digest }]
  })
}

/** What assistants look for on a server: the list of pages in Markdown, and a skill. No key is needed. */
export const AssistantHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const publicUrl = yield* PublicUrl
    const pages = new SitePages(publicUrl, markdownOptions)
    for (const [path, file] of [
      ["/llms.txt", siteFiles.list],
      [skillPath, siteFiles.skill]
    ] as const)
      yield* router.add(
        "GET",
        path,
        Effect.flatMap(pages.page(file), (page) => page!.response)
      )
    yield* router.add(
      "GET",
      `${folder}/index.json`,
      Effect.flatMap(
        pages.text(siteFiles.skill),
        (skill) => new StaticResponse(indexOf(skill!, publicUrl), { contentType: "application/json" }).response
      )
    )
  })
)
