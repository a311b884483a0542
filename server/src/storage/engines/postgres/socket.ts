import { Socket } from 'node:net'

/**
 * Sends everything that is written in one turn of the event loop with one system call. The driver corks its stream for
 * each statement, and a system call costs more than all the rest of sending it.
 */
export class BatchingSocket extends Socket {
  #waits = false

  override cork(): void {
    super.cork()
    if (this.#waits) return
    this.#waits = true
    super.cork()
    process.nextTick(() => {
      this.#waits = false
      this.uncork()
    })
  }
}
