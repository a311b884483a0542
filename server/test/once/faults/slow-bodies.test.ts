import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { ownProcess } from '../../own-service.ts'

const SLOW = 100

it('slow bodies and heads delay no other request, and end with 408 after REQUEST_SECONDS', async () => {
  const own = await ownProcess({ REQUEST_SECONDS: '2', RATE_LIMIT_WRITES: '0' })
  const { api } = await own.workspace()
  const { hostname, port } = new URL(own.url)
  const slow = Array.from({ length: SLOW }, async (_, index) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    let told = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    socket.write('POST /api/v1/companies HTTP/1.1\r\nHost: x\r\n')
    if (index % 2 === 0) {
      socket.write(
        `Authorization: Bearer ${api.token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      )
    }
    const dripping = setInterval(() => socket.write('x'), 100)
    await once(socket, 'close')
    clearInterval(dripping)
    return told
  })
  for (let index = 0; index < 20; index++)
    expect((await api.post('/companies', { name: `Quick ${index}` })).status).toBe(201)
  for (const told of await Promise.all(slow)) {
    const [head = '', body = ''] = told.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(body)).toEqual({ message: 'The request did not arrive in time.' })
  }
  expect((await api.get('/companies?per_page=1')).body.meta.total).toBe(20)
  expect(own.service.output()).not.toContain('"level":50')
  expect(await own.stop()).toBe(0)
})
