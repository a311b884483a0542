/**
 * Goes on with a value as soon as it is there. What is there already is not waited for: on the way of every request that
 * would cost more than most of the steps themselves.
 */
export function afterwards<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
