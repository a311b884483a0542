import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { openBrowser } from '../../browser.ts'
import { ownProcess, ownService } from '../../own-service.ts'

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

const FORMS = [
  ['/api/app/sign-in', 'application/json'],
  ['/api/app/password/forgot', 'application/json'],
  ['/api/auth/oauth2/token', 'application/x-www-form-urlencoded'],
  ['/api/auth/oauth2/register', 'application/json'],
] as const

it('slow forms without an account take no room of other requests, and end with 408 after 10 s', async () => {
  const room = 20
  const own = await ownService({ REQUESTS_AT_ONCE: String(room) })
  const { api } = await own.workspace()
  const { hostname, port } = new URL(own.url)
  const told: string[] = []
  const sockets: Socket[] = []
  for (let index = 0; index < 3 * room; index++) {
    const [path, type] = FORMS[index % FORMS.length] ?? FORMS[0]
    const socket = connect(Number(port), hostname)
    socket.setEncoding('utf8').on('data', (text: string) => {
      told[index] = (told[index] ?? '') + text
    })
    await once(socket, 'connect')
    const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Kith-App: 1\r\nContent-Type: ${type}\r\n`
    socket.write(`${head}Content-Length: 100\r\n\r\n{`)
    sockets.push(socket)
  }
  for (let index = 0; index < 20; index++)
    expect((await api.post('/companies', { name: `Quick ${index}` })).status).toBe(201)
  const signIn = await openBrowser(own.url).post('/sign-in', {
    email: 'nobody@example.com',
    password: 'wrong password',
  })
  expect(signIn.status).toBe(422)
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
  for (const text of told) {
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 /)
    expect(body).toContain('The request body did not arrive within 10 s.')
  }
  expect(told).toHaveLength(3 * room)
})
