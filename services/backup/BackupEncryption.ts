import { Effect, Redacted } from "effect"
import { BackupFailed, isSystemError } from "./BackupFailure.ts"

/** Encryption of backups in the format of age (https://age-encryption.org/v1), so that the tool `age` opens them too. */

/** How a backup is encrypted: for the owners of keys, or with a passphrase. */
export type Encryption = { readonly recipients: ReadonlyArray<string> } | { readonly passphrase: Redacted.Redacted }

/** The credential that opens an encrypted backup. */
export type Key = { readonly identities: ReadonlyArray<Redacted.Redacted> } | { readonly passphrase: Redacted.Redacted }

/** A step between two streams. */
export type Stage = (content: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>

/** The ending of the name of an encrypted backup. */
export const ending = ".age"

/** Bech32 with 32 bytes: an X25519 key. The package checks the checksum. */
const bech32 = "[02-9AC-HJ-NP-Zac-hj-np-z]{58}"
const recipient = new RegExp(`^age1${bech32}$`)
const identity = new RegExp(`^AGE-SECRET-KEY-1${bech32}$`)

export const what = "an age recipient, which begins with age1 and has 62 characters"

/** Read on demand: most starts need none of it. */
const age = Effect.promise(() => import("age-encryption"))

/** Fails unless backups can be encrypted for each of these recipients. */
export const checkRecipients = Effect.fnUntraced(function* (recipients: ReadonlyArray<string>) {
  const { Encrypter } = yield* age
  for (const each of recipients) {
    const refused = new BackupFailed({ message: `${each} is not ${what}` })
    if (!recipient.test(each)) return yield* refused
    yield* Effect.tryPromise({
      try: () => {
        const encrypter = new Encrypter()
        encrypter.addRecipient(each)
        return encrypter.encrypt(new Uint8Array())
      },
      catch: () => refused
    })
  }
})

/** The identities in a file of age: one a line, and comments. */
export const parseIdentities = Effect.fnUntraced(function* (text: string) {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
  const { identityToRecipient } = yield* age
  const identities: Array<Redacted.Redacted> = []
  for (const [index, line] of lines.entries()) {
    const refused = new BackupFailed({
      message: `The identity ${index + 1} is not an age identity, which begins with AGE-SECRET-KEY-1`
    })
    if (!identity.test(line)) return yield* refused
    yield* Effect.tryPromise({ try: () => identityToRecipient(line), catch: () => refused })
    identities.push(Redacted.make(line))
  }
  if (identities.length === 0) return yield* new BackupFailed({ message: "The file has no identity" })
  return identities
})

/** Returns the step that encrypts; without an encryption it changes nothing. */
export const encrypting = Effect.fnUntraced(function* (encryption: Encryption | undefined) {
  if (encryption === undefined) return plain
  const { Encrypter } = yield* age
  const encrypter = new Encrypter()
  if ("passphrase" in encryption) encrypter.setPassphrase(Redacted.value(encryption.passphrase))
  else {
    yield* checkRecipients(encryption.recipients)
    for (const each of encryption.recipients) encrypter.addRecipient(each)
  }
  const stage: Stage = async function* (content) {
    yield* await encrypter.encrypt(ReadableStream.from(content))
  }
  return stage
})

const plain: Stage = async function* (content) {
  yield* content
}

/** How a file is encrypted, by its beginning. `text`: in the form for mails (`age --armor`). */
type Seal = "none" | "passphrase" | "recipients" | "text"

const intro = "age-encryption.org/v1\n"
const passphraseStanza = "-> scrypt "
const textIntro = "-----BEGIN AGE ENCRYPTED FILE-----"

const sealOf = (beginning: Uint8Array): Seal => {
  const text = Buffer.from(beginning.subarray(0, 64)).toString("latin1")
  if (text.startsWith(textIntro)) return "text"
  if (!text.startsWith(intro)) return "none"
  return text.startsWith(passphraseStanza, intro.length) ? "passphrase" : "recipients"
}

/** Reads the beginning of a file: enough to find out how it is encrypted, if the file has as much. */
const beginningOf = async (parts: AsyncIterator<Uint8Array>): Promise<Buffer> => {
  let beginning: Buffer = Buffer.alloc(0)
  while (beginning.length < 64) {
    const { done, value } = await parts.next()
    if (done) break
    beginning = Buffer.concat([beginning, value])
  }
  return beginning
}

/** Returns how a file is encrypted. */
export const readSeal = async (content: AsyncIterable<Uint8Array>): Promise<Seal> => {
  const parts = content[Symbol.asyncIterator]()
  try {
    return sealOf(await beginningOf(parts))
  } finally {
    await parts.return?.()
  }
}

/** Maximum bytes that are read before the header of an encrypted file has ended. */
const maxHeader = 1024 * 1024

/**
 * Returns the step that decrypts a file, or passes it on if it is not encrypted. Throws BackupFailed if the key does not
 * open the file. A part that was changed or is missing throws the error of the package.
 */
export const decrypting = (key: Key | undefined): Stage =>
  async function* (content) {
    const parts = content[Symbol.asyncIterator]()
    const beginning = await beginningOf(parts)
    const seal = sealOf(beginning)
    let isOpen = seal === "none"
    async function* all() {
      let read = beginning.length
      if (read > 0) yield new Uint8Array(beginning)
      for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
        if (!isOpen && read > maxHeader) throw new Error("its header does not end")
        read += part.value.length
        yield part.value
      }
    }
    refuse(seal, key)
    if (seal === "none" || key === undefined) return yield* all()
    const { Decrypter } = await import("age-encryption")
    const decrypter = new Decrypter()
    if ("passphrase" in key) decrypter.addPassphrase(Redacted.value(key.passphrase))
    else for (const each of key.identities) decrypter.addIdentity(Redacted.value(each))
    let opened: ReadableStream<Uint8Array>
    try {
      opened = await decrypter.decrypt(ReadableStream.from(all()))
    } catch (error) {
      if (error instanceof BackupFailed || isSystemError(error)) throw error
      const { message } = error as Error
      throw new BackupFailed({
        message: !message.startsWith("no identity matched")
          ? `The beginning of the backup is damaged: ${message}`
          : seal === "passphrase"
            ? "The passphrase is wrong, or the beginning of the backup is damaged"
            : "The backup is not encrypted for this identity, or its beginning is damaged"
      })
    }
    isOpen = true
    yield* opened
  }

/** Refuses a key that cannot open the file. */
const refuse = (seal: Seal, key: Key | undefined): void => {
  const message =
    seal === "text"
      ? "The backup is encrypted in the text form of age: decrypt it with age first"
      : seal === "none"
        ? key === undefined
          ? undefined
          : "The backup is not encrypted, or its beginning is damaged"
        : key === undefined
          ? "The backup is encrypted"
          : seal === "passphrase" && !("passphrase" in key)
            ? "The backup is encrypted with a passphrase, not for an identity"
            : seal === "recipients" && "passphrase" in key
              ? "The backup is encrypted for an identity, not with a passphrase"
              : undefined
  if (message !== undefined) throw new BackupFailed({ message })
}
