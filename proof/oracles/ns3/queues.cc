// Packets that arrive at given times at a queue discipline of ns-3, without a device: a server takes them out at
// 8 Mbit/s, an octet in a microsecond. Recorded are drops, marks and ends of service, and the state at each arrival.
//
// The server takes a packet out when its service begins, or, with `atEnd`, when it ends: then the queue
// includes the packet in service.

#include <map>
#include <string>
#include <vector>
namespace queues {
using namespace ns3;

// Access to a private member that ns-3 does not trace.
template <typename Tag, typename Tag::type Pointer> struct Opened {
    friend typename Tag::type Member(Tag) { return Pointer; }
};
struct Probability { typedef double PieQueueDisc::*type; friend type Member(Probability); };
template struct Opened<Probability, &PieQueueDisc::m_dropProb>;
struct Average { typedef double RedQueueDisc::*type; friend type Member(Average); };
template struct Opened<Average, &RedQueueDisc::m_qAvg>;

struct Row { int64_t time; std::string event; uint32_t packet; double value; };
std::vector<Row> rows;
std::map<uint64_t, uint32_t> numbers;
Ptr<QueueDisc> disc;
bool atEnd, busy;

// The average of RED, or the probability of PIE.
double State() {
    if (Ptr<RedQueueDisc> red = DynamicCast<RedQueueDisc>(disc)) return (*PeekPointer(red)).*Member(Average());
    if (Ptr<PieQueueDisc> pie = DynamicCast<PieQueueDisc>(disc)) return (*PeekPointer(pie)).*Member(Probability());
    return 0;
}
void Note(std::string event, uint32_t packet) {
    rows.push_back({Simulator::Now().GetNanoSeconds(), event, packet, State()});
}
void Drop(Ptr<const QueueDiscItem> item) { Note("drop", numbers[item->GetPacket()->GetUid()]); }
void Mark(Ptr<const QueueDiscItem> item, const char*) { Note("mark", numbers[item->GetPacket()->GetUid()]); }
void Sample() { Note("state", 0); }

void Begin();
void End() {
    if (atEnd) disc->Dequeue();
    Note("served", 0);
    busy = false;
    Begin();
}
void Begin() {
    Ptr<const QueueDiscItem> item = atEnd ? disc->Peek() : Ptr<const QueueDiscItem>(disc->Dequeue());
    if (!item && atEnd) disc->Dequeue(); // The queue is idle from now on.
    if (!item) return;
    busy = true;
    Simulator::Schedule(MicroSeconds(item->GetSize()), &End);
}
void Arrive(uint32_t number, uint32_t octets) {
    Ptr<Packet> packet = Create<Packet>(octets - 20);
    Ipv4Header ip;
    ip.SetEcn(Ipv4Header::ECN_ECT0);
    numbers[packet->GetUid()] = number;
    disc->Enqueue(Create<Ipv4QueueDiscItem>(packet, Address(), 0x0800, ip));
    Note("arrival", number);
    if (!busy) Begin();
}

// With `every` above 0, in microseconds, the state is recorded just after each multiple of it.
void Run(Ptr<QueueDisc> queue, bool end, uint32_t every, std::vector<int64_t> times, std::vector<uint32_t> octets) {
    disc = queue;
    atEnd = end;
    busy = false;
    rows.clear();
    numbers.clear();
    disc->TraceConnectWithoutContext("Drop", MakeCallback(&Drop));
    disc->TraceConnectWithoutContext("Mark", MakeCallback(&Mark));
    disc->Initialize();
    for (uint32_t packet = 0; packet < times.size(); ++packet)
        Simulator::Schedule(NanoSeconds(times[packet]), &Arrive, packet, octets[packet]);
    int64_t stop = *std::max_element(times.begin(), times.end()) + 5000000000;
    for (int64_t at = 1000ll * every; every && at < stop; at += 1000ll * every)
        Simulator::Schedule(NanoSeconds(at + 1), &Sample);
    Simulator::Stop(NanoSeconds(stop));
    Simulator::Run();
    disc->Dispose();
    disc = nullptr;
    Simulator::Destroy();
}
}
