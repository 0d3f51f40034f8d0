import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders of tests that wait for processes, browsers or the real clock. */
const waiting = ["backup", "clients", "console", "examples", "flows", "guide", "rxdb", "scripts", "tanstack", "testing"]

const isWaiting = ({ moduleId }: TestSpecification): boolean =>
  waiting.some((folder) => moduleId.includes(`/${folder}/`))

/** Runs the tests that wait first: meanwhile the others use the processor, which would be idle at the end. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => Number(isWaiting(other)) - Number(isWaiting(one)))
  }
}
