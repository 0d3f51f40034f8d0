/**
 * The key by which items share permits: a group and its member, such as a user and one of the user's workspaces, or a
 * network and an address in it. A single string is a group with itself as its only member.
 */
export type Key = string | readonly [group: string, member: string]

export interface Permits {
  /** Maximum number of items that are taken and not released: in all, of one group (default: half of all), and of one key. */
  readonly permits: number
  readonly permitsPerGroup?: number | undefined
  readonly permitsPerKey: number
}

interface Member<A> {
  readonly name: string
  readonly group: Group<A>
  readonly waiting: Set<A>
  taken: number
}

interface Group<A> {
  readonly name: string
  readonly members: Map<string, Member<A>>
  /** The members from which an item may be taken, as far as the group has permits: the first one is next. */
  readonly turns: Set<Member<A>>
  waiting: number
  taken: number
  /** Its turns before it was added, as far as the caller counts them, and since. Undefined if it takes turns as usual. */
  turnsTaken: number | undefined
}

const pathOf = (key: Key): readonly [group: string, member: string] => (typeof key === "string" ? [key, key] : key)

export const groupOf = (key: Key): string => pathOf(key)[0]

/** A member or group that has a turn already keeps its place; a new one comes last. */
const setTurn = <T>(turns: Set<T>, one: T, hasTurn: boolean): void => {
  if (hasTurn) turns.add(one)
  else turns.delete(one)
}

const longestOf = <T>(all: Iterable<T>, first: T, lengthOf: (one: T) => number): T => {
  let longest = first
  for (const each of all) if (lengthOf(each) > lengthOf(longest)) longest = each
  return longest
}

/**
 * A queue in which groups take turns (round-robin), and the members of each group take turns within it, however many items
 * of each wait. Taking an item takes a permit of its key until `release`. The caller limits how many items wait.
 *
 * If the caller counts the turns of groups, the group with the fewest goes first, and of groups with as many the last
 * that came: it does not wait for a turn of each of the others, who have had theirs or have waited without being served.
 */
export class RoundRobinQueue<A> {
  readonly #permits: number
  readonly #permitsPerGroup: number
  readonly #permitsPerKey: number
  readonly #groups = new Map<string, Group<A>>()
  /** The groups from which an item may be taken, as far as there are permits: the first one is next. */
  readonly #turns = new Set<Group<A>>()
  #taken = 0
  #waitingCount = 0

  constructor({ permits, permitsPerGroup, permitsPerKey }: Permits) {
    this.#permits = permits
    this.#permitsPerGroup = permitsPerGroup ?? Math.max(1, Math.floor(permits / 2))
    this.#permitsPerKey = permitsPerKey
  }

  get waiting(): number {
    return this.#waitingCount
  }

  waitingOf(key: Key): number {
    return this.#memberOf(key)?.waiting.size ?? 0
  }

  takenOf(key: Key): number {
    return this.#memberOf(key)?.taken ?? 0
  }

  /**
   * Returns the newest waiting item of the group with the most waiting items, and within it of the member with the
   * most. When no other has more, it is an item of this key, which must have one waiting.
   */
  newestOfLongest(key: Key): A {
    const own = this.#memberOf(key)!
    const group = longestOf(this.#groups.values(), own.group, ({ waiting }) => waiting)
    const first = group === own.group ? own : group.members.values().next().value!
    const { waiting } = longestOf(group.members.values(), first, ({ waiting }) => waiting.size)
    return [...waiting].at(-1)!
  }

  add(key: Key, item: A, turnsTaken?: number): void {
    const member = this.#memberOf(key) ?? this.#newMember(key)
    const { group } = member
    if (turnsTaken !== undefined) group.turnsTaken = Math.max(turnsTaken, group.turnsTaken ?? 0)
    member.waiting.add(item)
    this.#countWaiting(member, 1)
    this.#arrange(member)
  }

  /** Removes a waiting item. */
  remove(key: Key, item: A): void {
    const member = this.#memberOf(key)
    if (member?.waiting.delete(item) !== true) return
    this.#countWaiting(member, -1)
    this.#arrange(member)
  }

  /**
   * Takes the next item with a permit: the first preferred item of the next member of the next group, or its first item
   * when it prefers none. Undefined when there is no permit or no item.
   */
  take(isPreferred: (item: A) => boolean = () => true): A | undefined {
    const group = this.#nextGroup()
    if (group === undefined || this.#taken >= this.#permits) return undefined
    const member = group.turns.values().next().value!
    let [item] = member.waiting
    for (const each of member.waiting) {
      if (!isPreferred(each)) continue
      item = each
      break
    }
    member.waiting.delete(item!)
    this.#countWaiting(member, -1)
    this.#countTaken(member, 1)
    if (group.turnsTaken !== undefined) group.turnsTaken++
    group.turns.delete(member)
    this.#turns.delete(group)
    this.#arrange(member)
    return item
  }

  /** Takes one more permit of a key that has one, out of turn. Returns false when there is none. */
  takeMore(key: Key): boolean {
    const member = this.#memberOf(key)
    if (member === undefined || this.#taken >= this.#permits || !this.#hasPermit(member)) return false
    this.#countTaken(member, 1)
    this.#arrange(member)
    return true
  }

  /** Releases a permit that was taken. */
  release(key: Key): void {
    const member = this.#memberOf(key)!
    this.#countTaken(member, -1)
    this.#arrange(member)
  }

  #nextGroup(): Group<A> | undefined {
    let [next] = this.#turns
    if (next?.turnsTaken === undefined) return next
    for (const each of this.#turns) if ((each.turnsTaken ?? 0) <= (next.turnsTaken ?? 0)) next = each
    return next
  }

  #memberOf(key: Key): Member<A> | undefined {
    const [group, member] = pathOf(key)
    return this.#groups.get(group)?.members.get(member)
  }

  #newMember(key: Key): Member<A> {
    const [groupName, name] = pathOf(key)
    let group = this.#groups.get(groupName)
    if (group === undefined) {
      group = { name: groupName, members: new Map(), turns: new Set(), waiting: 0, taken: 0, turnsTaken: undefined }
      this.#groups.set(groupName, group)
    }
    const member: Member<A> = { name, group, waiting: new Set(), taken: 0 }
    group.members.set(name, member)
    return member
  }

  #countWaiting(member: Member<A>, change: 1 | -1): void {
    member.group.waiting += change
    this.#waitingCount += change
  }

  #countTaken(member: Member<A>, change: 1 | -1): void {
    member.taken += change
    member.group.taken += change
    this.#taken += change
  }

  #hasPermit({ group, taken }: Member<A>): boolean {
    return taken < this.#permitsPerKey && group.taken < this.#permitsPerGroup
  }

  /** Called after each change of a member: decides whether it and its group have turns; deletes them when empty. */
  #arrange(member: Member<A>): void {
    const { group } = member
    setTurn(group.turns, member, member.waiting.size > 0 && member.taken < this.#permitsPerKey)
    setTurn(this.#turns, group, group.turns.size > 0 && group.taken < this.#permitsPerGroup)
    if (member.waiting.size === 0 && member.taken === 0) group.members.delete(member.name)
    if (group.members.size === 0) this.#groups.delete(group.name)
  }
}
