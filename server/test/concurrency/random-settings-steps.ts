import { rest, type Step, to } from './random-writes.ts'

const FIELDS = '/v1/schema/companies/fields'

/** Takes an option away, which changes every company that has it, and adds another. */
export const replaceOption: Step = async ({ pool, newText, call }, chance) => {
  const gone = chance.pick(pool.tiers)
  const fresh = `Tier ${newText()}`
  const body = { remove_options: [gone], add_options: [fresh] }
  const { status } = await call({ kind: 'options' }, to(chance, 'PUT', `${FIELDS}/tier`, body))
  if (status === 200) pool.tiers = [...pool.tiers.filter((label) => label !== gone), fresh]
}

export const makeUnique: Step = async ({ call }, chance) => {
  await call({ kind: 'unique' }, to(chance, 'PUT', `${FIELDS}/serial`, { unique: !chance.oneIn(3) }))
}

export const changeRole: Step = async ({ place, call }, chance) => {
  const role = chance.pick(['member', 'viewer'])
  await call({ kind: 'role', role }, to(chance, 'PATCH', `/members/${place.worker.id}`, { role }))
}

/** A new token works at once in every process, and a revoked one in none. */
export const useToken: Step = async (run, chance) => {
  const body = { name: run.newText(), abilities: ['read'], expires_in_days: 7 }
  const made = await run.call({ kind: 'create token' }, to(chance, 'POST', '/tokens', body))
  if (made.status !== 201) return
  const { id, token } = made.body.data
  const [hub = ''] = run.hubs
  const read = () =>
    rest({ ...run, token }, chance, { kind: 'read', type: 'companies', id: hub }, ['GET', `/companies/${hub}`])
  const before = await read()
  if (before.status === 401) run.history.problems.push('A token that was just made is answered with 401.')
  const revoked = await run.call({ kind: 'revoke token' }, to(chance, 'DELETE', `/tokens/${id}`))
  const after = await read()
  if (revoked.status === 200 && after.status !== 401)
    run.history.problems.push(`A token that was just revoked is answered with ${after.status}.`)
}
