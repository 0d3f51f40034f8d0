import type { TestApp } from "../TestApp.ts"

/** Runs `run`, and has the reverts that it requests wait until it has ended. */
export const whileRevertsWait = async (app: TestApp, run: () => Promise<void>): Promise<void> => {
  await app.sql(`CREATE FUNCTION hold_revert() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.next_at := '9999'; RETURN NEW; END $$`)
  await app.sql("CREATE TRIGGER held BEFORE INSERT ON due_reverts FOR EACH ROW EXECUTE FUNCTION hold_revert()")
  try {
    await run()
  } finally {
    await app.sql("DROP TRIGGER held ON due_reverts")
    await app.sql("DROP FUNCTION hold_revert()")
    await app.sql("UPDATE due_reverts SET next_at = created_at WHERE next_at = '9999'")
    await app.advance("10 seconds")
    await app.idle()
  }
}
