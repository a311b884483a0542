type Identifier = { id: string; type: string }
type Linkage = Identifier | Identifier[] | null

/** The result of `related` for a linkage in an included list of `Object`s: one, many, or null. */
type RelatedObject<Object extends Identifier, L> = L extends readonly (infer One)[]
  ? Extract<Object, { type: TypeOf<One> }>[]
  : L extends Identifier
    ? Extract<Object, { type: TypeOf<L> }> | null
    : null

type TypeOf<T> = T extends { type: infer Type } ? Type : never

/** The included records that a record's relation names, in the order in which it names them. */
export function related<
  Object extends Identifier,
  Relations extends { [N in keyof Relations]: { data: Linkage } },
  N extends keyof Relations,
>(
  document: { included?: readonly Object[] },
  record: { relationships: Relations },
  name: N,
): RelatedObject<Object, Relations[N]['data']> {
  const { data } = record.relationships[name]
  const { included = [] } = document
  const found = Array.isArray(data) ? data.flatMap((one) => find(included, one) ?? []) : find(included, data)
  // The contract's word: a relation names records of its own type only.
  return found as RelatedObject<Object, Relations[N]['data']>
}

/** Lists of included records are looked through often and never change. */
const indexes = new WeakMap<readonly Identifier[], ReadonlyMap<string, Identifier>>()

function find(included: readonly Identifier[], sought: Identifier | null): Identifier | null {
  if (sought === null) return null
  let index = indexes.get(included)
  if (!index) {
    index = new Map(included.map((object) => [`${object.type} ${object.id}`, object]))
    indexes.set(included, index)
  }
  return index.get(`${sought.type} ${sought.id}`) ?? null
}
