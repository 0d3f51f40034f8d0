import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { notify } from "../ui/Notices.tsx"
import { texts } from "./FactorMessages.ts"

/** The bytes of a text in base64url, and the text of bytes. Not all browsers have them for options and credentials. */
const bytesOf = (text: string): BufferSource =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0))
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

let asked: AbortController | undefined

/** Waits for the user and the browser. Undefined if one of them refuses, which a notice says. A later call ends an earlier one. */
const answered = async <Response extends AuthenticatorResponse>(
  host: string | undefined,
  ask: (signal: AbortSignal) => Promise<Credential | null>,
  shown: (response: Response) => object
): Promise<Schemas["PasskeyProof"]["credential"] | undefined> => {
  asked?.abort()
  asked = new AbortController()
  try {
    const { id, rawId, response, type } = (await ask(asked.signal)) as PublicKeyCredential
    const clientDataJSON = textOf(response.clientDataJSON)
    return { id, rawId: textOf(rawId), type, response: { clientDataJSON, ...shown(response as Response) } }
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    const said: Readonly<Record<string, string>> = {
      InvalidStateError: texts.passkey.known,
      SecurityError: texts.passkey.elsewhere(String(host))
    }
    notify(said[error.name] ?? texts.passkey.refused)
    return undefined
  }
}

type Options = Schemas["OfferedFactor"]["options"]

/** Makes a passkey for the options of an offer. */
export const makePasskey = (options: Options) => {
  const offer = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const publicKey = {
    ...offer,
    challenge: bytesOf(offer.challenge),
    user: { ...offer.user, id: bytesOf(offer.user.id) },
    excludeCredentials: offer.excludeCredentials?.map((each) => ({ ...each, id: bytesOf(each.id) }))
  } as PublicKeyCredentialCreationOptions
  return answered<AuthenticatorAttestationResponse>(
    offer.rp.id,
    (signal) => navigator.credentials.create({ publicKey, signal }),
    (response) => ({ attestationObject: textOf(response.attestationObject), transports: response.getTransports?.() })
  )
}

/** Asks for a passkey of this server. */
export const provePasskey = async (
  client: Pick<SheafClient, "offerPasskey">
): Promise<Schemas["PasskeyProof"] | undefined> => {
  const { options, token } = await client.offerPasskey()
  const offer = options as unknown as PublicKeyCredentialRequestOptionsJSON
  const publicKey = { ...offer, challenge: bytesOf(offer.challenge) } as PublicKeyCredentialRequestOptions
  const credential = await answered<AuthenticatorAssertionResponse>(
    offer.rpId,
    (signal) => navigator.credentials.get({ publicKey, signal }),
    ({ authenticatorData, signature, userHandle }) => ({
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      ...(userHandle === null ? {} : { userHandle: textOf(userHandle) })
    })
  )
  return credential && { token, credential }
}
