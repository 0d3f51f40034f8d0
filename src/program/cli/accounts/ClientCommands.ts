import { Effect } from "effect"
import { Argument } from "effect/cli"
import { OperatorApps } from "../../../../services/oauth/OperatorApps.ts"
import { type StoredClient, StoredClients } from "../../../../services/oauth/StoredClients.ts"
import { onDatabase } from "../CommandServices.ts"
import { action, command, group } from "../OperatorCommand.ts"
import * as Output from "../Output.ts"
import { Refused } from "../Refused.ts"

const list = command("list", {
  description: "List the OAuth clients that have registered themselves, or that you have added",
  examples: [["sheaf client list", "List all clients"]],
  input: {},
  run: () =>
    onDatabase(
      Effect.flatMap(StoredClients, (clients) =>
        Output.list(
          ["id", "name", "redirect_uris", "is_by_operator", "connected_at"],
          (last: StoredClient | undefined) => clients.list(last)
        )
      )
    )
})

const add = action("add", {
  description: "Add an OAuth client, for a host that wants a client id to be typed",
  examples: [["sheaf client add Assistant https://assistant.example/callback", "Add a client, and print its id"]],
  input: {
    name: Argument.String("name").pipe(Argument.withDescription("The name that users see")),
    redirect_uris: Argument.String("redirect-uri").pipe(
      Argument.withDescription("Where the browser returns to"),
      Argument.atLeast(1)
    )
  },
  run: ({ name, redirect_uris }) =>
    Effect.flatMap(StoredClients, (clients) => clients.add({ client_name: name, redirect_uris })).pipe(
      Effect.catchTag("OAuthError", ({ description }) => Effect.fail(new Refused({ message: description })))
    )
})

const remove = action("remove", {
  description:
    "Remove an OAuth client; what users have connected with it stays until they disconnect it, or `end-apps` ends it",
  examples: [["sheaf client remove oc_4kJ2…", "Remove one client"]],
  input: { id: Argument.String("id").pipe(Argument.withDescription("The client's id, such as oc_…")) },
  run: ({ id }) =>
    Effect.as(
      Effect.flatMap(StoredClients, (clients) => clients.remove(id)),
      { id, removed: true }
    )
})

const endApps = action("end-apps", {
  description: "End the apps that users have connected with an OAuth client; the running server refuses their tokens",
  examples: [["sheaf client end-apps https://assistant.example/client", "End all apps of one client"]],
  input: {
    id: Argument.String("id").pipe(
      Argument.withDescription("The client's id, such as oc_…, or the address of its metadata document")
    )
  },
  run: ({ id }) =>
    Effect.gen(function* () {
      const apps = yield* OperatorApps
      let total = 0
      while (true) {
        const { ended, has_more } = yield* apps.end(id)
        total += ended
        if (!has_more) return { id, ended: total }
      }
    })
})

export const client = group("client", "OAuth clients, which users connect as apps", [list, add, remove, endApps])
