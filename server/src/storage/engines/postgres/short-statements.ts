import type pg from 'pg'
import type { Db } from '../engine.ts'
import { handleOver } from '../handle.ts'
import type { Outcome } from '../session.ts'
import { ask } from './asking.ts'

type Question = {
  sql: string
  parameters: readonly unknown[]
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

const CONNECTIONS = 2
const TOGETHER = 32

/**
 * Short statements that only read, over few connections: what is asked while those before are under way goes out together. If one fails, the others are
 * answered nevertheless.
 */
export function shortOn(pool: pg.Pool): Db {
  const waiting: Question[] = []
  let underWay = 0
  let gathering = false

  function goOn(): void {
    if (gathering || waiting.length === 0 || underWay === CONNECTIONS) return
    gathering = true
    underWay++
    void askNext().finally(() => {
      underWay--
      goOn()
    })
  }

  /** Takes those who wait when a connection is there: the longer that takes, the more they are. */
  async function askNext(): Promise<void> {
    let client: pg.PoolClient | undefined
    let missing: unknown
    try {
      client = await pool.connect()
    } catch (error) {
      missing = error
    }
    gathering = false
    const questions = waiting.splice(0, TOGETHER)
    goOn()
    if (client) await askAll(client, questions)
    else for (const { reject } of questions) reject(missing)
  }

  return handleOver({
    dialect: 'postgres',
    run: (sql, parameters) =>
      new Promise((resolve, reject) => {
        waiting.push({ sql, parameters, resolve, reject })
        goOn()
      }),
  })
}

async function askAll(client: pg.PoolClient, questions: readonly Question[]): Promise<void> {
  const left = await askedOf(client, questions)
  // One that fails takes those behind it along: each is asked once more, by itself.
  for (const { question } of left) {
    const [failed] = await askedOf(client, [question])
    if (failed) question.reject(failed.error)
  }
  // After a failure the connection may be broken; the pool makes another one.
  client.release(left.length > 0)
}

type Failed = { question: Question; error: unknown }

/** Asks all of them at once, and tells which ones failed. */
async function askedOf(client: pg.PoolClient, questions: readonly Question[]): Promise<Failed[]> {
  const failed: Failed[] = []
  await Promise.all(
    questions.map(async (question) => {
      try {
        question.resolve(await ask(client, question.sql, question.parameters))
      } catch (error) {
        failed.push({ question, error })
      }
    }),
  )
  return failed
}
