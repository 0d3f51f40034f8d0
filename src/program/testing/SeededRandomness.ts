import { createCipheriv } from "node:crypto"
import { fromBytes, type RandomnessShape } from "../../../services/Randomness.ts"

/** The same ids and secrets for each use of a seed, a whole number from 0 to 255. Only for tests: they can be guessed. */
export const seededRandomness = (seed: number): RandomnessShape => {
  const stream = createCipheriv("aes-256-ctr", Buffer.alloc(32, seed), Buffer.alloc(16))
  return fromBytes((buffer) => stream.update(Buffer.alloc(buffer.length)).copy(buffer))
}
