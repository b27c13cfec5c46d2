# One TCP connection over one link that loses or delays chosen packets, as ns-2 simulates it.
#
#   ns one_way.tcl CLASS SINK END RULE LOST DELAYED DELAY LOST_ACKS SETTINGS
#
# prints what happens at the sender until END (s): time in us, `send` or `ack`, packet number (of an
# acknowledgement: the next packet expected) and cwnd in packets after the event.
#
# Link: 1 Mbit/s and 40 ms each way, packets of 1,040 bytes, acknowledgements of 40. Packets are lost
# (LOST, LOST_ACKS) or come later by DELAY (s) (DELAYED) at the far end of the link, by their count
# in order of transmission, from 0; delayed ones are counted among those that are not lost.

foreach {option value} {
    windowInit_ 1  window_ 64  packetSize_ 1040  useHeaders_ false  syn_ false  delay_growth_ false
    singledup_ 0  bugFix_ false  precisionReduce_ false  timestamps_ false  tcpTick_ 0.00002
    rfc2988_ false  rtxcur_init_ 1.0  minrto_ 1.0  maxrto_ 1.0  overhead_ 0
} {
    Agent/TCP set $option $value
}

# With RULE `bsd`, ssthresh gets one packet more at every cut: ns-2 leaves slow start when cwnd reaches
# ssthresh, 4.3BSD when it exceeds it. With `bytes` it is the ceiling of half of cwnd, which half of it
# in bytes is exceeded by in as many packets. A look every half millisecond, which a round trip is much
# longer than, finds every cut.
proc correct {ns tcp rule cuts cwnd} {
    if {[$tcp set ncwndcuts_] != $cuts} {
        set cuts [$tcp set ncwndcuts_]
        set bsd [expr [$tcp set ssthresh_] + 1]
        set bytes [expr int(ceil($cwnd / 2.0))]
        $tcp set ssthresh_ [set $rule]
    }
    $ns at [expr [$ns now] + 0.0005] "correct $ns $tcp $rule $cuts [$tcp set cwnd_]"
}

# Packets of `chosen` leave the link by `way` instead of by its end.
proc divert {ns from to chosen way} {
    if {[llength $chosen] == 0} { return }
    set model [new ErrorModel/List]
    $model droplist $chosen
    $ns link-lossmodel $model $from $to
    $model drop-target $way
    if {[$way info class] == "Queue/DropTail"} { [$way target] target [$model target] }
}

# A way that takes longer by `delay`.
proc detour {delay} {
    set entry [new Queue/DropTail]
    set way [new DelayLink]
    $way set bandwidth_ 1000Gb
    $way set delay_ $delay
    $entry target $way
    return $entry
}

lassign $argv class sink end rule lost delayed delay lost_acks settings
set ns [new Simulator]
set here [$ns node]
set there [$ns node]
$ns duplex-link $here $there 1Mb 40ms DropTail
foreach {from to} [list $here $there $there $here] { $ns queue-limit $from $to 100000 }
set trace [open packets.tmp w]
$ns trace-queue $here $there $trace
$ns trace-queue $there $here $trace
# The model that is inserted last comes first.
divert $ns $here $there $delayed [detour $delay]
divert $ns $here $there $lost [new Agent/Null]
divert $ns $there $here $lost_acks [new Agent/Null]
set tcp [new $class]
set receiver [new $sink]
$ns attach-agent $here $tcp
$ns attach-agent $there $receiver
$ns connect $tcp $receiver
foreach {object option value} $settings { [set $object] set $option $value }
set cwnds [open windows.tmp w]
$tcp attach $cwnds
$tcp trace cwnd_
set application [new Application/FTP]
$application attach-agent $tcp
$ns at 0.0 "$application start"
if {$rule != "none"} { $ns at 0.0 "correct $ns $tcp $rule 0 1" }
$ns at $end "close $trace; close $cwnds; report; exit 0"

proc microseconds {seconds} { return [expr round($seconds * 1e6)] }

# cwnd as it stands after all that happened at a time; ns-2 writes the times of variables in 10 us.
proc windows {} {
    set file [open windows.tmp]
    set found {}
    foreach line [split [string trim [read $file]] "\n"] {
        lappend found [microseconds [lindex $line 0]] [lindex $line 6]
    }
    close $file
    return $found
}

proc report {} {
    set windows [windows]
    set at 0
    set cwnd 1
    set file [open packets.tmp]
    foreach line [split [string trim [read $file]] "\n"] {
        set event "[lindex $line 0] [lindex $line 2] [lindex $line 4]"
        set time [microseconds [lindex $line 1]]
        while {$at < [llength $windows] && [lindex $windows $at] <= $time + 5} {
            set cwnd [lindex $windows [expr $at + 1]]
            incr at 2
        }
        set number [lindex $line 10]
        if {$event == "+ 0 tcp"} { puts "$time,send,$number,$cwnd" }
        if {$event == "r 1 ack"} { puts "$time,ack,[expr $number + 1],$cwnd" }
    }
    close $file
}
$ns run
