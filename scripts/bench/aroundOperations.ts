/** What is asked for of comments, reminders and shares: each is compared with an operation of notes, on the same server. */
import { type Answer, header, requestText } from "./Connection.ts"
import type { Caller, Operation } from "./operations.ts"

const must = (truth: boolean, what: string, { body, head }: Answer): void => {
  if (!truth) throw new Error(`${what}\n${head}\n\n${body.toString().slice(0, 600)}`)
}
const anyOf = <A>(values: readonly A[]): A => values[Math.floor(Math.random() * values.length)] as A
const commentOf = ({ workspace }: Caller) => anyOf(workspace.comments!)
const commentsOf = ({ workspace: { comments } }: Caller) => comments![0]!.slice(0, comments![0]!.lastIndexOf("/"))
const reminderOf = ({ workspace }: Caller) => anyOf(workspace.reminders!)
const shareOf = ({ workspace }: Caller) => anyOf(workspace.shares!)

/** The next note of a workspace: none gets as many as it may have. */
const next = ({ workspace: { notes } }: Caller) => notes[made++ % notes.length]!
let made = 0

/** They have no counterpart in the baseline. */
const alone = { must: 0 }

export const aroundOperations: Record<string, Operation> = {
  "comment-create": {
    ...alone,
    status: 201,
    writes: true,
    request: (caller) =>
      requestText(caller.workspace.key, "POST", `/v2/notes/${next(caller)}/comments`, { body: "Shall we?" }),
    verify: (answer) => must(answer.body.includes('"resolved":false'), "no created comment", answer)
  },
  "comment-get": {
    ...alone,
    status: 200,
    writes: false,
    request: (caller) => requestText(caller.workspace.key, "GET", commentOf(caller)),
    verify: (answer) => must(answer.body.includes('"author_id"') && !!header(answer.head, "etag"), "no comment", answer)
  },
  "comment-list": {
    ...alone,
    status: 200,
    writes: false,
    request: (caller) => requestText(caller.workspace.key, "GET", `${commentsOf(caller)}?limit=25`),
    verify: (answer, _, sampled) => {
      must(answer.body.length > 25 * 150, "a short list", answer)
      if (sampled) must(JSON.parse(answer.body.toString()).data.length === 25, "a wrong list", answer)
    }
  },
  "reminder-create": {
    ...alone,
    status: 201,
    writes: true,
    request: (caller) =>
      requestText(caller.workspace.key, "POST", "/v2/reminders", {
        note_id: next(caller),
        remind_at: "2040-01-01T08:00:00Z"
      }),
    verify: (answer) => must(answer.body.includes('"done":false'), "no created reminder", answer)
  },
  "reminder-get": {
    ...alone,
    status: 200,
    writes: false,
    request: (caller) => requestText(caller.workspace.key, "GET", reminderOf(caller)),
    verify: (answer) =>
      must(answer.body.includes('"remind_at"') && !!header(answer.head, "etag"), "no reminder", answer)
  },
  "reminder-list": {
    ...alone,
    status: 200,
    writes: false,
    request: ({ workspace }) => requestText(workspace.key, "GET", "/v2/reminders?limit=25"),
    verify: (answer, _, sampled) => {
      must(answer.body.length > 25 * 150, "a short list", answer)
      if (sampled) must(JSON.parse(answer.body.toString()).data.length === 25, "a wrong list", answer)
    }
  },
  "share-create": {
    ...alone,
    status: 201,
    writes: true,
    request: (caller) => requestText(caller.workspace.key, "POST", "/v2/shares", { note_id: next(caller) }),
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
