import type { StdioOptions } from 'node:child_process';

export const root: string;
export const flags: string[];
export const memory: Record<string, string>;
export const environment: Record<string, string> & { NODE_COMPILE_CACHE: string };
export function run(
  command: string,
  args: string[],
  options?: { env?: Record<string, string>; stdio?: StdioOptions; passOn?: NodeJS.Signals[] },
): Promise<number>;
export function install(): Promise<void>;
export function build(): Promise<void>;
export function node(): string;
export function bin(name: string): string;
