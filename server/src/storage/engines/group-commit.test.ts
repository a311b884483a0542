import { Refusal } from '@kith/contract/refusal'
import { expect, it } from 'vitest'
import type { Db } from './engine.ts'
import { GroupCommit, type Work } from './group-commit.ts'
import { UnknownOutcome } from './storage-trouble.ts'

const db: Db = { session: { dialect: 'sqlite', run: async () => ({ rows: [], affected: 0 }) } }
const write: Work<unknown> = async (inside) => inside.session.run('insert into things values (1)', [])
const refused = new Refusal({ kind: 'busy', message: 'Refused.', retry_after: 1 })

function groups(commit: () => void = () => {}) {
  const log: string[] = []
  const transaction = async (work: Work<void>) => {
    log.push('begin')
    await work(db)
    commit()
    log.push('commit')
  }
  return { log, group: new GroupCommit({ transaction, jobsMax: 3, concurrency: 1 }) }
}

it('runs a job that comes right after another one was settled', async () => {
  const { group, log } = groups()
  for (let index = 0; index < 5; index++) await group.run(write)
  expect(log.filter((entry) => entry === 'commit')).toHaveLength(5)
})

it('runs jobs that come at the same time in as few transactions as they need', async () => {
  const { group, log } = groups()
  await Promise.all(Array.from({ length: 7 }, () => group.run(write)))
  expect(log.filter((entry) => entry === 'commit')).toHaveLength(3)
})

it('settles a refused job after the commit, and runs no other job again', async () => {
  const { group, log } = groups()
  let runs = 0
  const other = group.run(async (inside) => {
    runs++
    await write(inside)
  })
  const failing = group.run(() => Promise.reject(refused))
  await expect(failing).rejects.toBe(refused)
  expect(log).toEqual(['begin', 'commit'])
  await other
  expect(runs).toBe(1)
})

it('runs no job again if the outcome of the commit is unknown', async () => {
  const { group, log } = groups(() => {
    throw new UnknownOutcome(undefined)
  })
  const ended = await Promise.allSettled([group.run(write), group.run(write)])
  for (const one of ended) expect(one).toMatchObject({ reason: expect.any(UnknownOutcome) })
  expect(log).toEqual(['begin'])
})

it('is idle when all jobs have ended', async () => {
  const { group, log } = groups()
  void group.run(write)
  await group.untilIdle()
  expect(log).toEqual(['begin', 'commit'])
})
