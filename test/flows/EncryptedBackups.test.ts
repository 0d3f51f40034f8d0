import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { Effect, Redacted } from "effect"
import fc from "fast-check"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { checkRecipients, type Key, parseIdentities } from "../../services/backup/BackupEncryption.ts"
import { backupOnDisk } from "../../services/backup/BackupOnDisk.ts"
import { check } from "../../services/backup/Restore.ts"
import { inboxOf, upload } from "../support/flows/Uploading.ts"
import { call } from "../support/flows/Wire.ts"
import { done, refused, sheaf } from "../support/servers/Command.ts"
import { endPrograms, Program } from "../support/servers/Program.ts"
import { rounds } from "../support/Slow.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-encrypted-"))
let number = 0
const newPath = () => join(place, String(++number))

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const age = (() => {
  try {
    execFileSync("age", ["--version"], { stdio: "ignore" })
    return ""
  } catch {
    return " (skipped: the tool age is not installed)"
  }
})()

describe("an encrypted backup", () => {
  const env = { DATA_DIR: newPath() }
  const directory = newPath()
  const identityFile = newPath()
  let identity: string
  let recipient: string
  let file: string

  /** Checks a backup in this process, and returns true or the error. */
  const checked = (path: string, key: Key | undefined): Promise<any> =>
    Effect.runPromise(
      Effect.match(check(backupOnDisk(path), "0.1.0", key), {
        onSuccess: () => true,
        onFailure: (error) => error.message
      })
    )
  const identities = (...all: ReadonlyArray<string>): Key => ({ identities: all.map((each) => Redacted.make(each)) })

  beforeAll(async () => {
    mkdirSync(directory)
    identity = await generateX25519Identity()
    recipient = await identityToRecipient(identity)
    writeFileSync(identityFile, `# created by hand\r\n\n${identity}\n`)
    await usedDataDir(env.DATA_DIR)
    const program = new Program({ ...env, PORT: "0" })
    const server = await program.server()
    const note = await call(server, "POST", "/notes", { notebook_id: await inboxOf(server), title: "Secret title" })
    // More than two chunks of age.
    await upload(server, note.body.id, randomBytes(200_000))
    const other = await identityToRecipient(await generateX25519Identity())
    const made = await done(env, `backup ${directory} --secret-key --recipient ${other} --recipient ${recipient}`)
    file = made.file
  })

  it("is restored with the identity of one of its recipients, and with no other", async () => {
    const DATA_DIR = newPath()
    const other = newPath()
    writeFileSync(other, await generateX25519Identity())
    expect(file).toMatch(/Z\.tar\.zst\.age$/)
    expect(readdirSync(directory)).toEqual([file.slice(directory.length + 1)])
    const without = await sheaf({ DATA_DIR }, `restore ${file}`)
    expect(without).toEqual(refused(/encrypted for an identity: name its file with --identity/))
    expect(await sheaf({ DATA_DIR }, `restore ${file} --identity ${other}`)).toEqual(
      refused(/The backup is not encrypted for this identity/)
    )
    expect(await sheaf({ DATA_DIR }, `restore ${file} --passphrase-stdin`, "a wrong passphrase\n")).toEqual(
      refused(/encrypted for an identity, not with a passphrase/)
    )
    expect(existsSync(DATA_DIR)).toBe(false)
    await done({ DATA_DIR }, `restore ${file} --identity ${identityFile}`)
    const found = await done({ DATA_DIR }, `restore ${file} --verify --identity ${identityFile}`)
    expect(found).toMatchObject({ differences: [], files: 1 })
  })

  it("is restored with its passphrase, and with no other", async () => {
    const path = newPath()
    expect(await sheaf(env, `backup ${path} --passphrase-stdin`, "short\n")).toEqual(
      refused(/A passphrase must have 10 to 200 characters/)
    )
    expect(await sheaf(env, `backup ${path} --passphrase`)).toEqual(refused(/no terminal .* use --passphrase-stdin/))
    expect(await sheaf(env, `backup ${path} --recipient ${recipient} --passphrase`)).toEqual(refused(/not both/))
    expect(existsSync(path)).toBe(false)
    const passphrase = "an owl reads Sheaf"
    expect(await done(env, `backup ${path} --passphrase-stdin`, `${passphrase}\n`)).toMatchObject({ encrypted: true })
    expect(await checked(path, { passphrase: Redacted.make(passphrase) })).toBe(true)
    expect(await checked(path, { passphrase: Redacted.make("an owl reads sheaf") })).toMatch(/passphrase is wrong/)
    expect(await checked(path, identities(identity))).toMatch(/with a passphrase, not for an identity/)
    const prompting = await sheaf({ DATA_DIR: newPath() }, `restore ${path}`)
    expect(prompting).toEqual(refused(/no terminal .* use --passphrase-stdin/))
  })

  it("is not begun for a recipient that is none, or that the format does not allow", async () => {
    const path = newPath()
    const zero = `age1${"q".repeat(52)}5cu47z`
    const last = recipient.at(-1) === "q" ? "p" : "q"
    const wrong = ["age1", identity, `${recipient.slice(0, -1)}${last}`, recipient.toUpperCase(), zero, "ssh-ed25519"]
    for (const each of wrong) {
      const line = await Effect.runPromise(Effect.flip(checkRecipients([recipient, each])))
      expect({ each, line: line.message }).toEqual({ each, line: expect.stringContaining("is not an age recipient") })
    }
    expect(await sheaf(env, `backup ${path} --recipient ${wrong[2]}`)).toEqual(refused(/is not an age recipient/))
    expect(existsSync(path)).toBe(false)
    const text = newPath()
    for (const [content, reason] of [
      ["# nothing\n", "has no identity"],
      [`${identity}\nAGE-SECRET-KEY-PQ-1QQQ\n`, "The identity 2 is not an age identity"],
      [recipient, "The identity 1 is not"]
    ] as const) {
      writeFileSync(text, content)
      const ended = await Effect.runPromise(Effect.flip(parseIdentities(content)))
      expect(ended.message).toContain(reason)
    }
    expect(await sheaf({ DATA_DIR: newPath() }, `restore ${file} --identity ${text}`)).toEqual(
      refused(/identity 1 is not/)
    )
    expect(await sheaf({ DATA_DIR: newPath() }, `restore ${file} --identity ${newPath()}`)).toEqual(
      refused(/--identity cannot be used: .*no such file/)
    )
  })

  it("is refused whichever byte is flipped, and wherever it is cut", async () => {
    const whole = readFileSync(file)
    const path = newPath()
    const refusedAs = async (bytes: Uint8Array) => {
      writeFileSync(path, bytes)
      return checked(path, identities(identity))
    }
    const message = /is not a backup of Sheaf|damaged|incomplete/
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (position, mask) => {
        const bytes = Buffer.from(whole)
        bytes[position]! ^= mask
        expect(await refusedAs(bytes)).toMatch(message)
        expect(await refusedAs(whole.subarray(0, position))).toMatch(message)
      }),
      {
        numRuns: rounds(20, 500),
        examples: [
          [whole.length - 1, 1],
          [0, 1],
          [30, 1],
          [whole.indexOf("---") + 10, 1]
        ]
      }
    )
    expect(await refusedAs(Buffer.concat([whole, whole]))).toMatch(message)
    expect(await refusedAs(Buffer.concat([Buffer.from("age-encryption.org/v1\n"), Buffer.alloc(5_000_000)]))).toMatch(
      /its header does not end/
    )
    expect(await checked(file, undefined)).toBe("The backup is encrypted")
  })

  it.skipIf(age !== "")(`has the format of the tool age, in both directions${age}`, async () => {
    const [opened, sealed, armored] = [newPath(), newPath(), newPath()]
    execFileSync("age", ["--decrypt", "-i", identityFile, "-o", opened, file])
    expect(await checked(opened, undefined)).toBe(true)
    expect(await checked(opened, identities(identity))).toMatch(/is not encrypted/)
    execFileSync("age", ["-r", recipient, "-o", sealed, opened])
    expect(await checked(sealed, identities(identity))).toBe(true)
    execFileSync("age", ["--armor", "-r", recipient, "-o", armored, opened])
    expect(await checked(armored, identities(identity))).toMatch(/in the text form of age/)
  })
})
