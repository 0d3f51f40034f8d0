import { Effect } from "effect"
import { ContentLinks, directions } from "../../../../services/contents/ContentLinks.ts"
import { ContentTasks } from "../../../../services/contents/ContentTasks.ts"
import { NoteProperties } from "../../../../services/contents/NoteProperties.ts"
import { BadRequest } from "../../../../services/Errors.ts"
import { Mentions } from "../../../../services/search/Mentions.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

const badDirection = new BadRequest({
  code: "invalid_parameter",
  detail: `direction must be one of ${directions.join(", ")}, unlinked`
})

const services = { links: ContentLinks, mentions: Mentions, properties: NoteProperties, tasks: ContentTasks }

export const ContentsHttp = Handlers.group("contents", services, ({ links, mentions, properties, tasks }) => ({
  links: ({ query }) => Effect.flatMap(links.list(query), Respond.page),
  noteLinks: Effect.fnUntraced(function* ({ params, query }) {
    if (query.direction === "unlinked") return yield* Respond.page(yield* mentions.of(params.id))
    const direction = directions.find((each) => each === (query.direction ?? "in"))
    if (direction === undefined) return yield* badDirection
    return yield* Respond.page(yield* links.ofNote(params.id, direction, query))
  }),
  neighbours: ({ params, query }) => Effect.flatMap(links.neighbours(params.id, query), Respond.page),
  properties: ({ query }) => Effect.flatMap(properties.list(query), Respond.page),
  tasks: ({ query }) => Effect.flatMap(tasks.list(query), Respond.page),
  task: ({ params }) => Effect.flatMap(tasks.get(params.id), (found) => Respond.resource(found)),
  updateTask: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* tasks.update(params.id, payload, yield* Respond.condition))
  })
}))
