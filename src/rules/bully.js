#!/usr/bin/env node
// The bully election, as rules that `bully` runs: --algorithm=./bully.js
// Change a rule and see what breaks: ./bully verify --algorithm=./bully.js
// The contract is in: ./bully help rules
"use strict";

// A rule, in English and Portuguese.
function rule(key, en, pt) {
  return { key, text: { en, "pt-BR": pt } };
}

const description = {
  name: "my-bully",
  messages: [
    { code: "E", name: "election", role: "asks", fields: [
      { key: "lost" }, // the coordinator that its sender misses
      { key: "was-away", meaning: "sender" }, // or: the sender was away itself
    ] },
    { code: "PE", name: "answer", role: "answers" },
    { code: "C", name: "coordinator", role: "announces" },
  ],
  states: [
    { name: "follower", role: "following" },
    { name: "candidate", role: "asking" },
    { name: "waiting", role: "waiting" },
    { name: "coordinator", role: "coordinating" },
  ],
  properties: ["highest-live", "never-lower", "ends", "sent",
    "highest-wins", "one-coordinator"],
  rules: [
    rule("ask", "It sends ELECTION to every higher process.",
      "Envia ELEIÇÃO a todos os processos maiores."),
    rule("win", "It sends COORDINATOR to every lower process.",
      "Envia COORDENADOR a todos os processos menores."),
    rule("answer", "A lower process asks: it sends ANSWER.",
      "Um menor pergunta: responde com PARAR ELEIÇÃO."),
    rule("take-over", "And then it starts an election itself,",
      "Em seguida, inicia ele mesmo uma eleição,"),
    rule("already-holding", "unless it is already holding one.",
      "a menos que já esteja em uma."),
    rule("job-done", "A higher process answers: its job is done.",
      "Um maior responde: seu trabalho acabou."),
    rule("coordinator", "It follows the sender of a COORDINATOR.",
      "Segue quem enviou COORDENADOR."),
    rule("never-lower", "It never follows a lower process.",
      "Nunca segue um processo menor."),
  ],
};

// One process: what it was before the event, and what it does now.
class Process {
  constructor(q) {
    const { attempts = 0, answerer = null, asked = [] } = q.memory ?? {};
    Object.assign(this, { id: q.id, ids: q.ids, state: q.state, coordinator: q.coordinator });
    Object.assign(this, { attempts, answerer, asked: [...asked], actions: [] });
  }

  answer() {
    const { state, coordinator, attempts, answerer, asked, actions } = this;
    const watch = answerer ?? coordinator;
    return { state, coordinator, watch, memory: { attempts, answerer, asked }, actions };
  }

  rule(key) { this.actions.push({ rule: key }); }
  send(code, to, fields = {}) { this.actions.push({ send: code, to, fields }); }
  isInElection() { return this.state === "candidate" || this.state === "waiting"; }

  // What belongs to the state that it leaves is over.
  enter(state, { coordinator = null, answerer = null, asked = [] } = {}) {
    if (this.state === "candidate") this.actions.push({ stop: "answer" });
    if (this.state === "waiting") this.actions.push({ stop: "coordinator" });
    Object.assign(this, { state, coordinator, answerer, asked });
    this.actions.push({ change: true });
  }

  // [Tan95, WP 1] It sends ELECTION to every process with a higher id.
  startElection(cause = {}) {
    const higher = this.ids.filter((peer) => peer > this.id);
    if (higher.length === 0) return this.becomeCoordinator();
    this.rule("ask");
    this.enter("candidate", { asked: higher });
    this.actions.push({ start: "answer" });
    for (const peer of higher) this.send("E", peer, cause);
  }

  // [WP 1, 2] It announces itself with COORDINATOR to every lower process.
  becomeCoordinator() {
    this.rule("win");
    this.enter("coordinator", { coordinator: this.id });
    this.attempts = 0;
    for (const peer of this.ids) if (peer < this.id) this.send("C", peer);
  }

  // [Tan95] A process that was down and comes back starts an election.
  started() { this.startElection({ "was-away": true }); }

  // All have long agreed: nothing is to be done.
  preset(q) {
    this.enter(q.peer === this.id ? "coordinator" : "follower", { coordinator: q.peer });
  }

  // [Tan95, CDK] A process that notices that the coordinator is gone starts an election.
  suspected(q) {
    const isGone = q.reason !== "deposed";
    if (q.peer === this.coordinator) {
      this.startElection(isGone ? { lost: q.peer } : { "was-away": true });
    } else if (q.peer === this.answerer && isGone) {
      this.startElection(); // DEVIATION 2: no COORDINATOR can come
    }
  }

  received(q) {
    if (this.state === "down") return;
    if (q.type === "E" && q.from < this.id) this.onElection(q.from, q.fields);
    if (q.type === "PE") this.onAnswer(q.from);
    if (q.type === "C") this.onCoordinator(q.from);
  }

  // [Tan95] It sends ANSWER, and then starts an election, unless it is in one already.
  onElection(sender, { lost, "was-away": wasAway }) {
    this.rule("answer");
    this.send("PE", sender);
    if (this.isInElection()) return this.rule("already-holding");
    if (lost !== undefined && lost !== this.coordinator) return; // DEVIATION 3
    if (this.state === "coordinator") return this.send("C", sender); // DEVIATION 4
    if (wasAway) return; // DEVIATION 5: the sender only asks who is coordinator
    this.attempts = Math.min(this.attempts, 1);
    this.rule("take-over");
    this.startElection(lost === undefined ? {} : { lost });
  }

  // [Tan95] Someone higher answers: its job is done. [WP 3] It waits for a COORDINATOR.
  onAnswer(sender) {
    if (this.asked.includes(sender)) {
      this.rule("job-done");
      this.enter("waiting", { answerer: sender });
      this.actions.push({ start: "coordinator", attempts: this.attempts });
    } else if (this.state === "waiting" && sender > this.id) {
      this.answerer = Math.max(this.answerer, sender);
    }
  }

  // [WP 5] It takes the sender as coordinator. DEVIATION 6: but never a lower one than itself.
  onCoordinator(sender) {
    if (sender > this.id) {
      this.rule("coordinator");
      this.attempts = 0;
      this.enter("follower", { coordinator: sender });
    } else if (!this.isInElection()) {
      this.rule("never-lower");
      this.startElection();
    }
  }

  // DEVIATION 1: the kernel says that no process is there; the textbook's waits.
  gone(q) {
    if (!this.asked.includes(q.peer)) return;
    this.asked = this.asked.filter((peer) => peer !== q.peer);
    if (this.asked.length === 0) this.becomeCoordinator();
  }

  expired(q) {
    if (q.timer === "answer" && this.state === "candidate") {
      this.becomeCoordinator(); // [WP 2] No one answers in time.
    } else if (q.timer === "coordinator" && this.state === "waiting") {
      this.attempts = Math.min(this.attempts + 1, 4);
      if (this.attempts === 1) return this.startElection(); // [WP 3]
      this.enter("follower", { coordinator: this.answerer }); // DEVIATION 7
    }
  }
}

function answerTo(q) {
  if (q.event === "describe") return description;
  const process = new Process(q);
  process[q.event](q);
  return process.answer();
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(JSON.stringify(answerTo(JSON.parse(line))) + "\n"));
