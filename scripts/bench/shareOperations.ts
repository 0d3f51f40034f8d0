/** What shares are asked for: each is compared with an operation of notes, on the same server. */
import { type Answer, header, requestText } from "./Connection.ts"
import type { Caller, Operation } from "./operations.ts"

const must = (truth: boolean, what: string, { body, head }: Answer): void => {
  if (!truth) throw new Error(`${what}\n${head}\n\n${body.toString().slice(0, 600)}`)
}
const anyOf = <A>(values: readonly A[]): A => values[Math.floor(Math.random() * values.length)] as A
const shareOf = ({ workspace }: Caller) => anyOf(workspace.shares!)

/** Notes go first: shares are made of the others, of which none gets as many as it may have. */
let made = 0

/** They have no counterpart in the baseline. */
const alone = { must: 0 }

export const shareOperations: Record<string, Operation> = {
  "share-create": {
    ...alone,
    status: 201,
    writes: true,
    request: ({ workspace }) =>
      requestText(workspace.key, "POST", "/v2/shares", {
        note_id: workspace.notes[made++ % workspace.notes.length]
      }),
    verify: (answer) => must(answer.body.includes('"url":"http'), "no created share", answer)
  },
  "share-get": {
    ...alone,
    status: 200,
    writes: false,
    request: (caller) => requestText(caller.workspace.key, "GET", `/v2/shares/${shareOf(caller).id}`),
    verify: (answer) => must(answer.body.includes('"url":"http') && !!header(answer.head, "etag"), "no share", answer)
  },
  "share-list": {
    ...alone,
    status: 200,
    writes: false,
    request: ({ workspace }) => requestText(workspace.key, "GET", "/v2/shares?limit=25"),
    verify: (answer, _, sampled) => {
      must(answer.body.length > 25 * 150, "a short list", answer)
      if (sampled) must(JSON.parse(answer.body.toString()).data.length === 25, "a wrong list", answer)
    }
  },
  "share-page": {
    ...alone,
    status: 200,
    writes: false,
    request: (caller) => requestText(undefined, "GET", shareOf(caller).path, undefined, "Accept: text/html\r\n"),
    verify: (answer) => must(answer.body.includes("<article>") && !!header(answer.head, "etag"), "no page", answer)
  }
}
