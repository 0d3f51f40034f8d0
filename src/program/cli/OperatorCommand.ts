import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { onDatabase } from "./CommandServices.ts"
import * as Output from "./Output.ts"

type Config = Command.Command.Config
type Read<Input extends Config> = Command.Command.Config.Infer<Input>

/** A command: the words of its help, what it reads from its line, and what it does. */
interface Row<Input extends Config, A, E, R> {
  readonly description: string
  readonly examples: ReadonlyArray<readonly [line: string, description: string]>
  readonly input: Input
  readonly run: (input: Read<Input>) => Effect.Effect<A, E, R>
}

/** A command that prints its result itself. */
export const command = <Name extends string, const Input extends Config, E, R>(
  name: Name,
  { description, examples, input, run }: Row<Input, void, E, R>
) =>
  Command.make(name, input, run).pipe(
    Command.withDescription(description),
    Command.withExamples(examples.map(([command, description]) => ({ command, description })))
  )

/** A command that runs on the database, and shows its result, followed by a remark. */
export const action = <Name extends string, const Input extends Config, A extends object, E, R>(
  name: Name,
  { remark, run, ...row }: Row<Input, A, E, R> & { readonly remark?: string | undefined }
) =>
  command(name, {
    ...row,
    run: (input) =>
      Effect.flatMap(onDatabase(run(input)), (result) => Output.show(result, ...(remark === undefined ? [] : [remark])))
  })

/** The commands on one kind of thing. */
export const group = <Name extends string, const Commands extends ReadonlyArray<Command.Command.SubcommandEntry>>(
  name: Name,
  description: string,
  commands: Commands
) => Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(commands))

/** A flag that is set or not. */
export const isSet = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))
