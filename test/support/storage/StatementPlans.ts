/** A node of a plan, as EXPLAIN reports it. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Alias?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Filter?: string
  readonly "Presorted Key"?: ReadonlyArray<string>
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** All nodes of a plan. */
export const nodesOf = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/**
 * The statement that creates the function `plan_of`, which returns the generic plan of a statement: it does not depend
 * on values. `options` are those of EXPLAIN, `settings` those of the planner.
 */
export const createPlanOf = (options: ReadonlyArray<string> = [], settings: ReadonlyArray<string> = []): string =>
  `CREATE FUNCTION plan_of(statement text) RETURNS json LANGUAGE plpgsql
    ${settings.map((each) => `SET ${each}`).join(" ")} AS $$
  DECLARE found json;
  BEGIN
    EXECUTE 'EXPLAIN (${["GENERIC_PLAN", "FORMAT JSON", ...options].join(", ")}) ' || statement INTO found;
    RETURN found -> 0 -> 'Plan';
  END $$`
