import { exampleOrigin } from "../../services/Fields.ts"
import { made } from "./MadeDocument.ts"

/** The OpenAPI description of a server at this address. */
export const describing = async (publicUrl: string): Promise<object> => {
  const text = await made()
  // Examples have addresses of the server, too.
  return JSON.parse(text.replaceAll(exampleOrigin, publicUrl))
}
