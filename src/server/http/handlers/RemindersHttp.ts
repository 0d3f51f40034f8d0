import { Effect } from "effect"
import { Reminders } from "../../../../services/notes/reminders/Reminders.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

export const RemindersHttp = Handlers.group("reminders", { reminders: Reminders }, ({ reminders }) => ({
  list: ({ query }) => Effect.flatMap(reminders.list(query), Respond.page),
  channels: () => Effect.map(reminders.channels, (channels) => Respond.value(channels)),
  create: ({ payload }) => Effect.flatMap(reminders.create(payload), (reminder) => Respond.resource(reminder, 201)),
  get: ({ params }) => Effect.flatMap(reminders.get(params.id), (reminder) => Respond.resource(reminder)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    return yield* Respond.resource(yield* reminders.update(params.id, payload, yield* Respond.condition))
  }),
  delete: Effect.fnUntraced(function* ({ params }) {
    yield* reminders.delete(params.id, yield* Respond.condition)
    return Respond.deleted(params.id)
  })
}))
