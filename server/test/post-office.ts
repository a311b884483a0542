import { createServer, type Socket } from 'node:net'

/** Takes mail as a server of the outside world would, and keeps what was said. */
export async function postOffice() {
  const letters: string[] = []
  const server = createServer((socket: Socket) => {
    let inText = false
    let text = ''
    let begun = ''
    socket.write('220 post ESMTP\r\n')
    socket.on('data', (bytes) => {
      // A line may come in two pieces.
      const lines = (begun + bytes.toString()).split('\r\n')
      begun = lines.pop() ?? ''
      for (const line of lines) {
        if (inText) {
          if (line === '.') {
            letters.push(text)
            ;[inText, text] = [false, '']
            socket.write('250 kept\r\n')
          } else text += `${line}\n`
        } else if (/^DATA/i.test(line)) {
          inText = true
          socket.write('354 go on\r\n')
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else if (line !== '') socket.write('250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `smtp://127.0.0.1:${port}`, letters, close: () => server.close() }
}

export type PostOffice = Awaited<ReturnType<typeof postOffice>>
