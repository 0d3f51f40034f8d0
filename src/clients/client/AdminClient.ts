import { type Client, methodsOf } from "./Client.ts"
import { adminOperations } from "./generated/AdminOperationTable.ts"
import type { Methods } from "./Types.ts"

/** The operations on the whole server as methods. */
export type AdminClient = Pick<Methods, keyof typeof adminOperations>

/** The operations on the whole server, for a client whose user or key is one of an operator. */
export const createAdmin = (client: Client): AdminClient => methodsOf(client, adminOperations) as unknown as AdminClient
