import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { PASSWORD } from "../bench/Target.ts"
import { attack } from "./Attack.ts"
import { type Reply, flood, statuses } from "./Client.ts"
import { unique } from "./Content.ts"
import type { Lab } from "./Lab.ts"

/** Maximum number of invitations of a user per hour (contract 4). */
const MOST_INVITATIONS = 20
/** Maximum number of mails to a former address. */
const MOST_LETTERS = 5

/** The mails that contain a text. */
const letters = ({ server: { dataDir } }: Lab, wanted: string): ReadonlyArray<string> => {
  const outbox = join(dataDir, "outbox")
  if (!existsSync(outbox)) return []
  return readdirSync(outbox)
    .filter((file) => file.endsWith(".eml"))
    .map((file) => readFileSync(join(outbox, file), "utf8"))
    .filter((letter) => letter.includes(wanted))
}

/** The subject of a mail, with its encoded words (RFC 2047) joined and decoded. */
const subjectOf = (letter: string): string => {
  const written = /^subject: *((?:.*\r?\n[ \t])*.*)/im.exec(letter)?.[1] ?? ""
  return written
    .replaceAll(/\?=\s+=\?UTF-8\?Q\?|=\?UTF-8\?Q\?|\?=/gi, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Many invitations to strangers, from a user whose name is an advertisement. */
export const invitations = attack({
  name: "mail-invitations",
  finding: "a free user had 150 mails sent to 150 strangers in 16 s, with the user's link in the subject",
  measured: false,
  seconds: 12,
  run: async (lab) => {
    const { token, workspace_id } = lab.server.takeAttacker()
    const client = lab.client(token)
    await client.send("PATCH", "/v2/me", { body: { name: "Your mailbox is full: log in at https://evil.example/now" } })
    const replies = await flood(lab.signal, { atOnce: 4, most: 40 }, () =>
      client.post(`/v2/workspaces/${workspace_id}/invitations`, {
        email: `${unique()}@strangers.example`,
        role: "viewer"
      })
    )
    await sleep(1_500)
    const subjects = letters(lab, "@strangers.example").map(subjectOf)
    return { replies, links: subjects.filter((subject) => /https?:|evil\.example/i.test(subject)).length }
  },
  judge: ({ replies, links }) => {
    const sent = replies.filter(({ status }) => status === 201).length
    return {
      figures: `${statuses(replies)}, ${links} subjects with a link`,
      failures: [
        ...(sent > MOST_INVITATIONS ? [`${sent} invitations were sent within an hour`] : []),
        ...(links > 0 ? ["subjects have the user's link"] : [])
      ]
    }
  }
})

/** An address that is repeatedly set and removed. */
export const formerAddresses = attack({
  name: "mail-former",
  finding: "each change of a user's address to a stranger's and back sent the stranger a mail, without a limit",
  measured: false,
  seconds: 40,
  run: async (lab) => {
    const { token, email } = lab.server.takeAttacker()
    const client = lab.client(token, { patience: 30_000 })
    const victim = `${unique()}@victims.example`
    const replies: Array<Reply> = []
    for (let turn = 0; turn < 10 && !lab.signal.aborted; turn++) {
      for (const to of [victim, `${unique()}-${email.replace("@localhost", "@attacker.example")}`]) {
        replies.push(await client.send("PATCH", "/v2/me", { body: { email: to, current_password: PASSWORD } }))
      }
    }
    await sleep(1_000)
    return { replies, written: letters(lab, victim).length }
  },
  judge: ({ replies, written }) => ({
    figures: `${statuses(replies)}, ${written} mails to the stranger`,
    failures: written > MOST_LETTERS ? [`${written} mails to an address that was never confirmed`] : []
  })
})
