// One TCP connection over one link of 1 Mbit/s and 40 ms each way that loses, delays and marks chosen packets, and
// a record of what happens at the sender. Packets have 1,000 bytes and headers of TCP, IP and PPP.
//
// What is lost, delayed or marked is chosen at the far end of the link: packets by number and copy, acknowledgements by
// their count.

#include <map>
#include <set>
#include <string>
#include <vector>
#include <utility>
namespace one_way {
using namespace ns3;
const uint32_t MSS = 1000;

struct Row { int64_t time; bool ack; uint32_t packet; double cwnd; };

// A channel that loses, delays and marks what it is told to.
class Channel : public PointToPointChannel {
  public:
    std::set<std::pair<uint32_t, uint32_t>> lost;
    std::set<uint32_t> delayed, lostAcks, marked;
    void SetDelay(uint32_t milliseconds) { m_delay = MilliSeconds(milliseconds); }
    bool TransmitStart(Ptr<const Packet> packet, Ptr<PointToPointNetDevice> source, Time time) override {
        Ptr<PointToPointNetDevice> to = GetPointToPointDevice(0) == source ? GetPointToPointDevice(1)
                                                                          : GetPointToPointDevice(0);
        Time arrival = time + MilliSeconds(40);
        Ptr<Packet> copy = packet->Copy(), arriving = packet->Copy();
        PppHeader ppp; Ipv4Header ip; TcpHeader tcp;
        copy->RemoveHeader(ppp); copy->RemoveHeader(ip); copy->RemoveHeader(tcp);
        if (copy->GetSize() > 0) {
            uint32_t number = (tcp.GetSequenceNumber().GetValue() - 1) / MSS;
            if (marked.count(m_sent) && ip.GetEcn() != Ipv4Header::ECN_NotECT) arriving = Marked(packet);
            if (delayed.count(m_sent++)) arrival += m_delay;
            if (lost.count({number, ++m_copies[number]})) return true;
        } else if (GetPointToPointDevice(1) == source && !(tcp.GetFlags() & TcpHeader::SYN)) {
            if (lostAcks.count(m_acks++)) return true;
        }
        Simulator::ScheduleWithContext(to->GetNode()->GetId(), arrival, &PointToPointNetDevice::Receive, to,
                                       arriving);
        return true;
    }
  private:
    static Ptr<Packet> Marked(Ptr<const Packet> packet) {
        Ptr<Packet> copy = packet->Copy();
        PppHeader ppp; Ipv4Header ip;
        copy->RemoveHeader(ppp); copy->RemoveHeader(ip);
        ip.SetEcn(Ipv4Header::ECN_CE);
        copy->AddHeader(ip); copy->AddHeader(ppp);
        return copy;
    }
    Time m_delay;
    uint32_t m_sent = 0, m_acks = 0;
    std::map<uint32_t, uint32_t> m_copies;
};

std::vector<Row> rows;
uint32_t cwnd;
void Cwnd(uint32_t, uint32_t now) {
    cwnd = now;
    int64_t time = Simulator::Now().GetMicroSeconds();
    for (auto row = rows.rbegin(); row != rows.rend() && row->time == time; ++row) row->cwnd = double(now) / MSS;
}
void Note(bool ack, uint32_t sequence) {
    rows.push_back({Simulator::Now().GetMicroSeconds(), ack, (sequence - 1) / MSS, double(cwnd) / MSS});
}
void Tx(Ptr<const Packet> packet, const TcpHeader& tcp, Ptr<const TcpSocketBase>) {
    if (packet->GetSize() > 0) Note(false, tcp.GetSequenceNumber().GetValue());
}
void Rx(Ptr<const Packet>, const TcpHeader& tcp, Ptr<const TcpSocketBase>) {
    if (!(tcp.GetFlags() & TcpHeader::SYN)) Note(true, tcp.GetAckNumber().GetValue());
}
void Fill(Ptr<Socket> socket, uint32_t) {
    while (socket->GetTxAvailable() >= MSS) socket->Send(Create<Packet>(MSS));
}
void Connected(Ptr<Socket> socket) { Fill(socket, 0); }
void Read(Ptr<Socket> socket) { while (socket->Recv()) {} }
void Accept(Ptr<Socket> socket, const Address&) { socket->SetRecvCallback(MakeCallback(&Read)); }

// The first ssthresh is in packets; 0 leaves it at ns-3's default, which is never reached.
void Run(std::string type, std::string recovery, bool sack, bool ecn, uint32_t ssthresh, uint32_t end,
         Ptr<Channel> channel) {
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + type)));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TypeId::LookupByName("ns3::" + recovery)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(ecn ? "On" : "Off"));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(sack));
    // With timestamps three SACK blocks fit, as in most of today's TCP; without, four.
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(sack));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(MSS));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(ssthresh ? ssthresh * MSS : UINT32_MAX));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1000 * MSS));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1000 * MSS));
    rows.clear();
    cwnd = MSS;
    NodeContainer nodes;
    nodes.Create(2);
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < 2; ++i) {
        Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetDataRate(DataRate("1Mbps"));
        Ptr<Queue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize("100000p"));
        device->SetQueue(queue);
        nodes.Get(i)->AddDevice(device);
        device->Attach(channel);
        devices.Add(device);
    }
    InternetStackHelper stack;
    stack.Install(nodes);
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = address.Assign(devices);
    Ptr<Socket> sink = Socket::CreateSocket(nodes.Get(1), TcpSocketFactory::GetTypeId());
    sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
    sink->Listen();
    sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(), MakeCallback(&Accept));
    Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    socket->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Cwnd));
    socket->TraceConnectWithoutContext("Tx", MakeCallback(&Tx));
    socket->TraceConnectWithoutContext("Rx", MakeCallback(&Rx));
    socket->SetConnectCallback(MakeCallback(&Connected), MakeNullCallback<void, Ptr<Socket>>());
    socket->SetSendCallback(MakeCallback(&Fill));
    socket->Connect(InetSocketAddress(interfaces.GetAddress(1), 80));
    Simulator::Stop(MilliSeconds(end + 200));
    Simulator::Run();
    Simulator::Destroy();
}
}
