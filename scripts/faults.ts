// `npm run faults`: injects faults into a running app and prints which guarantees held. `-- F1 F3` runs only these.
import type { Fault, Verdict } from './faults/fault.ts';
import { appKilled } from './faults/f01-killed.ts';
import { databaseKilled, databaseRestarted } from './faults/f02-database.ts';
import { databaseFailover } from './faults/f04-failover.ts';
import { tableLocked } from './faults/f05-lock.ts';
import { mailServerDown } from './faults/f06-mail.ts';
import { failingJobs } from './faults/f07-poison.ts';
import {
  clockJumps,
  longLists,
  pictureUploads,
  feedPolling,
  paymentProviderSilent,
} from './faults/f08-others.ts';
import { diskFull } from './faults/f09-full.ts';
import { slowClients } from './faults/f10-slow.ts';
import { reconnectStorm, unreadSocket } from './faults/f11-sockets.ts';
import { randomRequests } from './faults/f13-fuzz.ts';
import { twoProcesses } from './faults/f18-two.ts';

const faults: Record<string, [string, Fault]> = {
  F1: ['the app is killed', appKilled],
  F2: ['the database restarts', databaseRestarted],
  F3: ['the database is killed', databaseKilled],
  F4: ['the database fails over', databaseFailover],
  F5: ['the clubs are locked', tableLocked],
  F6: ['the mail server is down', mailServerDown],
  F7: ['jobs that always fail', failingJobs],
  F8: ['the payment provider is silent', paymentProviderSilent],
  F9: ['the disk is full', diskFull],
  F10: ['slow clients', slowClients],
  F11: ['a websocket that is not read', unreadSocket],
  F12: ['10,000 websockets reconnect', reconnectStorm],
  F13: ['100,000 random requests', randomRequests],
  F14: ['long lists', longLists],
  F15: ['feeds are polled', feedPolling],
  F16: ['large pictures are uploaded', pictureUploads],
  F17: ['the clock jumps', clockJumps],
  F18: ['two processes', twoProcesses],
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in faults));
if (unknown.length > 0) {
  console.error(`Unknown fault ${unknown.join(', ')}. Available: ${Object.keys(faults).join(', ')}.`);
  process.exit(2);
}

const rows: string[][] = [['', 'fault', 'promise', 'result', 'held']];
for (const [name, [what, attempt]] of Object.entries(faults)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`${name}: ${what} …`);
  const verdicts: Verdict[] = await attempt().catch((error: Error) => [
    { promise: 'the test itself', result: error.message, held: false },
  ]);
  for (const { promise, result, held } of verdicts) {
    console.log(`  ${held === undefined ? 'not run' : held ? 'held' : 'NOT HELD'}: ${promise}: ${result}`);
    rows.push([name, what, promise, result, held === undefined ? 'not run' : held ? 'yes' : 'NO']);
    if (held === false) process.exitCode = 1;
  }
}

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
console.log('');
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | '));
// Keep-alive connections would keep this process running.
process.exit();
