const loopbackNames = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])

/** Whether a host name or address is this machine's own. */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false
  // A dual-stack socket shows IPv4 peers in IPv6 spelling.
  const address = host.replace(/^::ffff:/, '')
  return loopbackNames.has(address) || /^127(\.\d{1,3}){3}$/.test(address)
}
