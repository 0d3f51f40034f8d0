import { attack, report } from "./Attack.ts"
import { flood, times } from "./Client.ts"
import { LARGE, repeated } from "./Content.ts"

/** The templates that take longest, stored if that is allowed. */
const bodies: ReadonlyArray<string> = [
  `{{date${"+1m-1m".repeat(33_000)}:D}}`,
  repeated("{{date-1m:D}}", LARGE),
  repeated("{{!}}", LARGE),
  `{{${"a".repeat(LARGE)}`,
  times(999, (index) => `{{date+${index}m-1m+1y-1y+1w-1w+1d-1d:[${index}] gggg GGGG ww WW Qo zzz Z X LLLL dddd}}`).join(
    ""
  )
]

/** Applies them repeatedly. */
export const templates = attack({
  name: "templates",
  finding: "one request to apply a template of 1 MB with 340 000 shifts blocked the process for 54 s",
  seconds: 5,
  together: true,
  prepare: async (lab) => {
    const { key } = lab.server.takeAttacker()
    const client = lab.client(key)
    const stored: Array<string> = []
    for (const body of bodies) {
      const reply = await client.post("/v2/templates", { name: "costly", body })
      if (reply.status === 201) stored.push(JSON.parse(reply.text).id)
    }
    return { key, stored }
  },
  run: (lab, { key, stored }) => {
    const client = lab.client(key)
    return flood(lab.signal, { atOnce: 4, most: 60 }, (index) =>
      client.post(`/v2/templates/${stored[index % stored.length]}/apply`, {})
    )
  },
  judge: report
})

/** Texts of megabytes in fields for some hundred characters, and a push of large entries. */
export const longTexts = attack({
  name: "long-texts",
  finding: "a push of 15 titles of a megabyte each blocked the process for half a second, an id of 6 MB for 0.4 s",
  together: true,
  run: (lab) => {
    const { key, notebook_id } = lab.server.takeAttacker()
    const client = lab.client(key)
    const spaces = " ".repeat(LARGE)
    const asks = [
      () => client.post("/v2/notes", { notebook_id: spaces.repeat(6), title: "t" }),
      () => client.post("/v2/tags/merge", { sources: [spaces.repeat(6)], target: "t" }),
      () =>
        client.post("/v2/sync/push", {
          changes: times(15, () => ({ type: "note", op: "upsert", data: { notebook_id, title: spaces } }))
        })
    ]
    return flood(lab.signal, { atOnce: 3, most: 60 }, (index) => asks[index % asks.length]!())
  },
  judge: report
})
