import "../SharedParts.ts"
import { startAuthentication, startRegistration, WebAuthnError } from "@simplewebauthn/browser"
import type { Schemas, SheafClient } from "../../client/SheafClient.ts"
import { notify } from "../ui/Notices.tsx"
import { texts } from "./FactorMessages.ts"

/** Waits for the user and the browser. Undefined if one of them refuses, which a notice says. */
const answered = async (
  host: string,
  ask: () => Promise<object>
): Promise<Schemas["PasskeyProof"]["credential"] | undefined> => {
  try {
    return { ...(await ask()) } as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof WebAuthnError || error instanceof DOMException)) throw error
    const said: Readonly<Record<string, string>> = {
      InvalidStateError: texts.passkey.known,
      SecurityError: texts.passkey.elsewhere(host)
    }
    notify(said[error.name] ?? texts.passkey.refused)
    return undefined
  }
}

type Options = Schemas["OfferedFactor"]["options"]

/** Makes a passkey for the options of an offer. */
export const makePasskey = (options: Options) => {
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"]
  return answered(String(optionsJSON.rp.id), () => startRegistration({ optionsJSON }))
}

/** Asks for a passkey of this server. */
export const provePasskey = async (
  client: Pick<SheafClient, "offerPasskey">
): Promise<Schemas["PasskeyProof"] | undefined> => {
  const { options, token } = await client.offerPasskey()
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"]
  const credential = await answered(String(optionsJSON.rpId), () => startAuthentication({ optionsJSON }))
  return credential && { token, credential }
}
