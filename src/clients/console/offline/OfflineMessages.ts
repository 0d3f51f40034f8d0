import { SheafError } from "../../client/SheafClient.ts"
import { translated } from "../ChosenLanguage.ts"

/** The texts about the copy of notes on this device, without those of the settings. */
export const offlineTexts = translated("offline", {
  notKept: "Offline. This is not kept on this device."
})

/** The error of a request for which the copy has no response either, while the server is away. */
export const notKept = (cause: unknown): SheafError =>
  new SheafError(
    { code: "no_response", status: 0, title: offlineTexts.notKept, detail: "The notes are not kept on this device" },
    { cause }
  )
